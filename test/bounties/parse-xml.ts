/** A strict parser for the XML of our feeds. It throws on anything malformed, and on anything that they do not use. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

const NAME = '[A-Za-z_][\\w.:-]*';
const token = new RegExp(`<(/?)(${NAME})((?:\\s+${NAME}="[^"<]*")*)\\s*(/?)>|([^<]+)`, 'y');
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

export function parseXml(document: string): Element {
  const prolog = /^<\?xml version="1\.0" encoding="UTF-8"\?>\n/.exec(document);
  if (prolog === null) throw new Error('the document has no XML declaration');
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  token.lastIndex = prolog[0].length;
  while (token.lastIndex < document.length) {
    const at = token.lastIndex;
    const found = token.exec(document);
    if (found === null) throw new Error(`not well-formed at ${at}: ${document.slice(at, at + 60)}`);
    const [, closes, name = '', attributes = '', isEmpty, text] = found;
    const parent = open.at(-1) as Element;
    if (text !== undefined) parent.text += decode(text);
    else if (closes === '/') {
      if (open.pop()?.name !== name) throw new Error(`</${name}> closes nothing`);
    } else {
      const element: Element = { name, attributes: readAttributes(attributes), children: [], text: '' };
      parent.children.push(element);
      if (isEmpty !== '/') open.push(element);
    }
  }
  const [only, ...others] = root.children;
  if (only === undefined || others.length > 0 || open.length !== 1 || root.text.trim() !== '')
    throw new Error('one root element is wanted');
  return only;
}

function readAttributes(source: string): Record<string, string> {
  const pairs = [...source.matchAll(new RegExp(`(${NAME})="([^"]*)"`, 'g'))].map(
    ([, name = '', value = '']) => [name, decode(value)] as const,
  );
  if (new Set(pairs.map(([name]) => name)).size !== pairs.length) throw new Error('an attribute occurs twice');
  return Object.fromEntries(pairs);
}

function decode(text: string): string {
  if (text.includes(']]>')) throw new Error('text must not hold ]]>');
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text)) throw new Error('text holds a character that XML forbids');
  return text.replaceAll(/&([^;\s]*);?/g, (all, name: string) => {
    if (!all.endsWith(';')) throw new Error(`a bare ampersand: ${text}`);
    if (name === '#13') return '\r';
    const value = entities[name];
    if (value === undefined) throw new Error(`unknown entity ${all}`);
    return value;
  });
}
