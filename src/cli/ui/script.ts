/**
 * The one script of every page. It replaces what changes by what the server sends, keeps focus, open
 * details and selected text, and sends a form while it is typed. How many objects a filter leaves is announced;
 * changes in the cluster are not, since there may be many a second. Without it links and forms work all the same.
 * https://developer.mozilla.org/docs/Web/API/Server-sent_events
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
const replace = (id, html) => {
  const live = document.getElementById('part-' + id);
  if (!live) return;
  held.delete(id);
  if (isSelected(live)) return held.set(id, html);
  const open = new Map([...live.querySelectorAll('details[id]')].map((one) => [one.id, one.open]));
  const scrolls = new Map([...live.querySelectorAll('.wide[id]')].map((one) => [one.id, one.scrollLeft]));
  const focused = live.contains(document.activeElement) ? document.activeElement : undefined;
  const mark = focused && findMark(focused);
  live.innerHTML = html;
  for (const [id, isOpen] of open) { const one = document.getElementById(id); if (one) one.open = isOpen; }
  for (const [id, left] of scrolls) { const one = document.getElementById(id); if (one) one.scrollLeft = left; }
  if (mark) live.querySelector(mark)?.focus({ preventScroll: true });
};
const listen = () => {
  source?.close();
  source = new EventSource(location.href.split('#')[0]);
  source.onmessage = ({ data }) => {
    const sent = JSON.parse(data);
    // Other parts than this document has: its object has appeared, or is gone.
    if (sent.shape !== content.dataset.shape) {
      source.close();
      return location.reload();
    }
    for (const [id, html] of Object.entries(sent.parts)) replace(id, html);
    say(sent.state, sent.isBad);
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
document.addEventListener('visibilitychange', () => document.hidden ? source.close() : listen());
listen();
`;
