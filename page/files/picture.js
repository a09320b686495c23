/* Pictures of the board for posts: the drawing of the page as a file of its own, as SVG or as PNG. */

import { $, svg, tag } from "./dom.js";

const SIZE = 800; // px
/* The properties that the style sheet sets, which a file needs, too. */
const STYLES = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin", "stroke-dasharray", "paint-order", "opacity",
  "transform", "stop-color", "stop-opacity", "font-size", "font-weight", "text-anchor", "dominant-baseline",
];
/* The attributes that only the page needs. */
const OWN = /^(class|role|tabindex|style|(aria|data)-.*)$/;

/* A copy of the visible parts of a drawing, which looks the same without the style sheet. */
function inlined(element) {
  const style = getComputedStyle(element);
  if (style.display === "none" || element.matches(".hit")) return null;
  const copy = element.cloneNode(false);
  for (const { name } of [...copy.attributes]) if (OWN.test(name)) copy.removeAttribute(name);
  const plain = getComputedStyle($("plain"));
  for (const name of STYLES) {
    const value = style.getPropertyValue(name);
    // A colour may refer to a gradient by the address of the page.
    if (value !== plain.getPropertyValue(name)) copy.setAttribute(name, value.replace(/url\("?[^"#)]*#([^")]+)"?\)/, "url(#$1)"));
  }
  copy.append(...[...element.childNodes].map(child => child instanceof Element ? inlined(child) : child.cloneNode()).filter(Boolean));
  return copy;
}

/* The text of the picture of a board. */
function textOf(board) {
  const picture = inlined(board);
  picture.prepend(svg("defs", {}, ...[...document.querySelector(".paints defs").children].map(inlined)));
  picture.setAttribute("width", SIZE);
  picture.setAttribute("height", SIZE);
  picture.setAttribute("font-family", "system-ui, sans-serif");
  return new XMLSerializer().serializeToString(picture);
}

/* The picture as points of colour, which more programs can show. */
async function drawn(text) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = tag("canvas", { width: SIZE, height: SIZE });
  canvas.getContext("2d").drawImage(image, 0, 0, SIZE, SIZE);
  return new Promise(done => canvas.toBlob(done, "image/png"));
}

/* Saves the picture of a board as a file; the form is "svg" or "png". */
export async function savePicture(board, form) {
  const text = textOf(board);
  const blob = form === "svg" ? new Blob([text], { type: "image/svg+xml" }) : await drawn(text);
  const address = URL.createObjectURL(blob);
  tag("a", { href: address, download: `millbase.${form}` }).click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
