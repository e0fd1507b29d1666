/**
 * The one script of every page. It changes what differs from what the server sends, keeps selected text, and sends a
 * form while it is typed. A button pauses the updates (https://www.w3.org/WAI/WCAG22/Understanding/pause-stop-hide.html).
 * How many objects a filter leaves is announced; changes in the cluster are not, since there may be many a second.
 * Without it links and forms work all the same. https://developer.mozilla.org/docs/Web/API/Server-sent_events
 */
export const SCRIPT = `
'use strict';
const state = document.getElementById('state');
const content = document.getElementById('content');
let source;
const say = (text, isBad) => {
  if (state.textContent !== text) state.textContent = text;
  state.dataset.state = isBad ? 'bad' : 'good';
};
const pause = document.getElementById('pause');
let isPaused = false;
let shownAt = new Date();
const pauseAt = () => {
  source.close();
  say('Paused: as of ' + shownAt.toLocaleTimeString() + '. Press the button again for updates.', false);
};
const held = new Map();
const isSelected = (live) => {
  const selection = getSelection();
  return !selection.isCollapsed && selection.containsNode(live, true);
};
const findMark = (focused) => {
  const { id, href } = { id: focused.closest('[id]').id, href: focused.getAttribute('href') };
  if (href) return 'a[href="' + CSS.escape(href) + '"]';
  return '#' + CSS.escape(id) + (focused.localName === 'summary' ? '>summary' : '');
};
// What is the same stays in the document: what is open, scrolled or focused there, and where a screen reader is.
const findKey = (node) => {
  const link = node.localName === 'tr' ? node.querySelector('a') : node;
  const value = node.localName === 'option' ? node.value : '';
  return [node.nodeName, node.id, link?.getAttribute?.('href'), value].join(' ');
};
const patch = (old, next) => {
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== next.data) old.data = next.data;
    return;
  }
  for (const name of old.getAttributeNames()) if (name !== 'open' && !next.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of next.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  patchChildren(old, next);
};
const patchChildren = (parent, next) => {
  const wanted = Map.groupBy(next.childNodes, findKey);
  const kept = Map.groupBy(parent.childNodes, findKey);
  for (const [key, nodes] of kept) for (const node of nodes.splice(wanted.get(key)?.length ?? 0)) node.remove();
  let place = parent.firstChild;
  for (const node of [...next.childNodes]) {
    const same = kept.get(findKey(node))?.shift();
    if (same && same === place) place = place.nextSibling;
    else parent.insertBefore(same ?? node, place);
    if (same) patch(same, node);
  }
};
const replace = (id, html) => {
  const live = document.getElementById('part-' + id);
  if (!live) return;
  held.delete(id);
  if (isSelected(live)) return held.set(id, html);
  const mark = live.contains(document.activeElement) ? findMark(document.activeElement) : undefined;
  const next = document.createElement('template');
  next.innerHTML = html;
  patchChildren(live, next.content);
  if (mark && !live.contains(document.activeElement)) live.querySelector(mark)?.focus({ preventScroll: true });
};
// To load the page again would end a visit to another page that has begun and has no answer yet.
let isLeaving = false;
addEventListener('beforeunload', () => { isLeaving = true; });
const listen = () => {
  source?.close();
  // A page may be opened in the background: it gets what is new once it is shown.
  if (document.hidden) return;
  source = new EventSource(location.href.split('#')[0]);
  source.onmessage = ({ data }) => {
    const sent = JSON.parse(data);
    // Other parts than this document has: its object has appeared, or is gone.
    if (sent.shape !== content.dataset.shape) {
      source.close();
      return isPaused ? pauseAt() : setTimeout(() => location.reload(), isLeaving ? 3000 : 0);
    }
    shownAt = new Date();
    for (const [id, html] of Object.entries(sent.parts)) replace(id, html);
    if (isPaused) pauseAt();
    else say(sent.state, sent.isBad);
    if (isAsked) said.textContent = document.getElementById('part-count')?.textContent ?? '';
    isAsked = false;
  };
  source.onerror = () => say(source.readyState === EventSource.CLOSED
    ? 'This page is of an earlier run: open the URL that albridge ui has printed last.'
    : 'albridge ui does not answer, so this may be out of date: it was stopped, or this machine is busy. Trying again.', true);
};
// What is selected to be copied stays until it no longer is.
document.addEventListener('selectionchange', () => { for (const [id, html] of [...held]) replace(id, html); });
const said = document.getElementById('said');
let isAsked = false;
const onTyped = (form) => {
  isAsked = true;
  const query = new URLSearchParams(new FormData(form)).toString();
  history.replaceState(undefined, '', location.pathname + (query ? '?' + query : ''));
  listen();
};
let typed;
for (const form of document.forms) {
  form.addEventListener('input', () => { clearTimeout(typed); typed = setTimeout(onTyped, 150, form); });
  form.addEventListener('submit', (event) => { event.preventDefault(); onTyped(form); });
}
// A browser opens six connections to a server, and a hidden page needs none.
document.addEventListener('visibilitychange', () => {
  if (document.hidden) source?.close();
  else if (!isPaused || isAsked) listen();
});
pause.hidden = false;
pause.addEventListener('click', () => {
  isPaused = !isPaused;
  pause.setAttribute('aria-pressed', isPaused);
  if (isPaused) pauseAt();
  else listen();
});
listen();
`;
