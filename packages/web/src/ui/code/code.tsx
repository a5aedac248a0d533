/** Code to read and copy, in three tints. */
import './code.css';
import { Tabs } from '../display/tabs.tsx';
import { CopyButton } from '../marks/hash.tsx';

export interface CodeSample {
  readonly id: string;
  readonly name: string;
  readonly code: string;
  /** The file or place of the code, shown above it and not copied. */
  readonly where?: string;
}

export function CodeTabs({ label, samples }: { readonly label: string; readonly samples: readonly CodeSample[] }) {
  return (
    <Tabs
      kind="code"
      label={label}
      tabs={samples.map(({ id, name, code, where }) => ({ id, name, content: <CodeText code={code} label={name} where={where} /> }))}
      aside={(selected) => <CopyButton text={samples.find(({ id }) => id === selected)?.code ?? ''} what="code" />}
    />
  );
}

export function CodePanel({ title, code }: { readonly title: string; readonly code: string }) {
  return (
    <figure className="code">
      <figcaption className="bar">
        <span>{title}</span>
        <CopyButton text={code} what="code" />
      </figcaption>
      <CodeText code={code} label={title} />
    </figure>
  );
}

function CodeText({ code, label, where }: { readonly code: string; readonly label: string; readonly where?: string | undefined }) {
  return (
    <>
      {where === undefined ? null : <p className="where">{where}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, and the keyboard must be able to */}
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms */}
      <pre tabIndex={0} role="group" aria-label={label}>
        <code>
          {splitTints(code).map(({ tint, text }, index) =>
            tint === undefined ? (
              text
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: a piece is its place
              <span key={index} className={`token-${tint}`}>
                {text}
              </span>
            ),
          )}
        </code>
      </pre>
    </>
  );
}

const PIECES =
  /("(?:[^"\\\n]|\\.)*"|'[^'\n]*')|((?:^|\s)(?:\/\/|#) .*$)|\b(import|from|const|await|for|of|new|curl|GET|POST|PATCH|PUT|DELETE)\b/gm;

/** Splits code into strings, comments and keywords: enough for any language we show. */
function splitTints(code: string): { tint: 'string' | 'note' | 'word' | undefined; text: string }[] {
  const pieces: { tint: 'string' | 'note' | 'word' | undefined; text: string }[] = [];
  let end = 0;
  for (const match of code.matchAll(PIECES)) {
    pieces.push({ tint: undefined, text: code.slice(end, match.index) });
    pieces.push({ tint: match[1] !== undefined ? 'string' : match[2] !== undefined ? 'note' : 'word', text: match[0] });
    end = match.index + match[0].length;
  }
  pieces.push({ tint: undefined, text: code.slice(end) });
  return pieces;
}
