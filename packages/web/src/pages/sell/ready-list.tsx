/** Present and missing requirements, each with its remedy. */
import type { ReadyLine } from './readiness.ts';

export function ReadyList({ lines }: { readonly lines: readonly ReadyLine[] }) {
  return (
    <ul className="ledger sell-ready">
      {lines.map((line) => (
        <Line key={line.what} line={line} />
      ))}
    </ul>
  );
}

function Line({ line: { ready, optional, what, detail, action } }: { readonly line: ReadyLine }) {
  return (
    <li data-ready={ready ? '' : undefined} data-optional={optional === true ? '' : undefined}>
      <span className="mark" aria-hidden="true" />
      <span>
        {what}
        {optional === true ? <span className="meta"> optional</span> : null}
        <span className="visually-hidden">{ready ? ', done' : ', missing'}</span>
        <br />
        <span className="meta">{detail}</span>
      </span>
      {action === undefined ? null : <a href={action.href}>{action.name}</a>}
    </li>
  );
}
