// Making and finding elements. Text goes in as text, never as markup.

/** The element with that id. */
export function byId(id) {
  return document.getElementById(id);
}

/** A new element with attributes and children, which are elements or text. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (attribute.startsWith("on")) element.addEventListener(attribute.slice(2), value);
    else element.setAttribute(attribute, value);
  }
  element.append(...children);
  return element;
}

/** Show or hide an element; with text, the text is set too. */
export function show(element, visible, text) {
  element.hidden = !visible;
  if (text !== undefined && element.textContent !== text) element.textContent = text;
}
