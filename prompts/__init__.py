"""The wording that players are shown: Jinja2 templates and personas, read as package resources."""
