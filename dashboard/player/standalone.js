// A replay in a file of its own: unpacks what stands in the page and shows it. The place stands behind the address's #.

import { mount } from "./player.js";
import { readPlace, writePlace } from "./place.js";

/** The JSON in one of the page's data blocks: deflated, in base64. */
async function unpacked(id) {
  const text = atob(document.getElementById(id).textContent);
  const bytes = new Uint8Array(text.length);
  for (let place = 0; place < text.length; place += 1) bytes[place] = text.charCodeAt(place);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).json();
}

/** Shows the first plies at once, before the blocks that hold the rest have even been read; any other when they are here. */
function start(element) {
  const asked = () => readPlace(new URLSearchParams(location.hash.slice(1)));
  const hash = (...at) => `#${writePlace(new URLSearchParams(), ...at)}`;
  const place = asked();
  let timer = null;
  let written = location.hash;
  let player = null;
  const onMove = (...at) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      written = hash(...at);
      history.replaceState(null, "", written);
    }, 200);
  };
  const link = (...at) => new URL(hash(...at), location.href).href;
  const details = () => (document.getElementById("details") ? unpacked("details") : null);
  const show = (replay) => {
    element.replaceChildren();
    player = mount(element, replay, { ...place, onMove, link, details, dark: () => matchMedia("(prefers-color-scheme: dark)").matches });
  };
  if (!place.ply) show(JSON.parse(document.getElementById("head").textContent));
  const rest = async () => {
    try {
      const replay = await unpacked("replay");
      if (player) player.update(replay);
      else show(replay);
    } catch (error) {
      element.textContent = `This browser cannot show the replay (${error.message}). A newer one can.`;
    }
  };
  // Behind the first picture, not in its way.
  const later = window.requestIdleCallback ?? ((call) => setTimeout(call, 20));
  document.addEventListener("DOMContentLoaded", () => requestAnimationFrame(() => later(rest, { timeout: 100 })));
  window.addEventListener("hashchange", () => {
    if (location.hash === written) return;
    const { ply, eyes, known } = asked();
    player?.go(ply, eyes, known);
  });
}

start(document.querySelector("main"));
