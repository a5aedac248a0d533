import { type Html, html } from './html.ts';

/** The first cell of a row is its heading. The caption is for screen readers. */
export function table(caption: string, head: readonly string[], rows: readonly (readonly Html[])[], rowIds: readonly string[] = []): Html {
  const row = ([first, ...cells]: readonly Html[], index: number) =>
    html`<tr${rowIds[index] === undefined ? '' : html` id="${rowIds[index]}"`}><th scope="row">${first}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`;
  return html`<table class="table"><caption class="visually-hidden">${caption}</caption><thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>${rows.map(row)}</tbody></table>`;
}
