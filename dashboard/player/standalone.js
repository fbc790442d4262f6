// A replay in a file of its own: unpacks what stands in the page and shows it. The place stands behind the address's #.

/** The JSON in one of the page's data blocks: deflated, in base64. */
async function unpacked(id) {
  const text = atob(document.getElementById(id).textContent);
  const bytes = new Uint8Array(text.length);
  for (let place = 0; place < text.length; place += 1) bytes[place] = text.charCodeAt(place);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).json();
}

function readPlace() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const known = wanted.get("known");
  return { ply: Number(wanted.get("ply") ?? 0), eyes: wanted.get("eyes"), known: known === null ? undefined : known === "1" };
}

function writePlace(ply, eyes, known) {
  const place = new URLSearchParams({ ply });
  if (eyes !== "spectator") place.set("eyes", eyes);
  if (known !== (eyes !== "spectator")) place.set("known", known ? "1" : "0");
  return `#${place}`;
}

export async function open(element) {
  const replay = await unpacked("replay");
  let timer = null;
  let written = location.hash;
  const onMove = (...place) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      written = writePlace(...place);
      history.replaceState(null, "", written);
    }, 200);
  };
  const details = document.getElementById("details") ? () => unpacked("details") : undefined;
  const link = (...place) => new URL(writePlace(...place), location.href).href;
  element.replaceChildren();
  const player = mount(element, replay, { ...readPlace(), onMove, link, details });
  window.addEventListener("hashchange", () => {
    if (location.hash === written) return;
    const { ply, eyes, known } = readPlace();
    player.go(ply, eyes, known);
  });
  return player;
}

open(document.querySelector("main")).catch((error) => {
  document.querySelector("main").textContent = `This browser cannot show the replay (${error.message}). A newer one can.`;
});
