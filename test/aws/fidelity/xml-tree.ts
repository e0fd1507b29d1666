/** One element of a document without attributes that matter. */
export interface XmlElement {
  readonly name: string;
  readonly children: readonly XmlElement[];
  /** Of an element without children. */
  readonly text: string;
}

const TOKEN = /<\?[^>]*\?>|<(\/?)([\w:-]+)[^>]*?(\/?)>|([^<]+)/g;

interface OpenElement {
  readonly name: string;
  readonly children: XmlElement[];
  text: string;
}

/** The root element. Throws for a document that is not well formed. */
export function parseXml(document: string): XmlElement {
  const root: OpenElement = { name: '', children: [], text: '' };
  const open: OpenElement[] = [root];
  for (const [, closing, name, empty, text] of document.matchAll(TOKEN)) {
    const top = open.at(-1) as OpenElement;
    if (text !== undefined) top.text += text;
    else if (closing === '/') close(open, name as string);
    else if (name !== undefined) {
      const child = { name, children: [], text: '' };
      top.children.push(child);
      if (empty !== '/') open.push(child);
    }
  }
  const [only] = root.children;
  if (open.length !== 1 || only === undefined) throw new Error(`no XML document: ${document}`);
  return only;
}

/** The first child of this name; throws where there is none. */
export function childOf(element: XmlElement, name: string): XmlElement {
  const child = element.children.find((one) => one.name === name);
  if (child === undefined) throw new Error(`<${element.name}> has no <${name}>`);
  return child;
}

function close(open: OpenElement[], name: string): void {
  const closed = open.pop();
  if (closed?.name !== name || open.length === 0) throw new Error(`</${name}> closes nothing`);
}
