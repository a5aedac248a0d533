/** Dense rows. On phones each folds into two lines: what and time, state and amount. */
import './data-table.css';
import { Fragment, type ReactNode } from 'react';
import { classNames } from '../words/class-names.ts';

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers are right-aligned, in mono. */
  readonly number?: boolean;
  readonly mono?: boolean;
  /** The position of the cell when the row folds; `hide` shows it only in the wide table. */
  readonly fold: 'what' | 'time' | 'state' | 'amount' | 'act' | 'hide';
}

export interface DataTableProps<Row> {
  /** For screen readers, which do not see the heading above. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Rows that wait for the viewer get the marigold edge. */
  readonly needsYou?: (row: Row) => boolean;
  readonly unread?: (row: Row) => boolean;
  /** Shown below the row at the table's full width; null while collapsed. */
  readonly detail?: (row: Row) => ReactNode;
}

export function DataTable<Row>({ caption, columns, rows, keyOf, needsYou, unread, detail }: DataTableProps<Row>) {
  return (
    <table className="table fold">
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ head, number }) => (
            <th key={head} scope="col" className={number === true ? 'right' : undefined}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Fragment key={keyOf(row)}>
            <tr className={classNames(needsYou?.(row) === true && 'needs-you', unread?.(row) === true && 'unread')}>
              {columns.map(({ head, cell, number, mono, fold }) => (
                <td
                  key={head}
                  className={classNames(`fold-${fold}`, number === true && 'right', (mono === true || number === true) && 'mono')}
                >
                  {cell(row)}
                </td>
              ))}
            </tr>
            <Detail width={columns.length}>{detail?.(row)}</Detail>
          </Fragment>
        ))}
      </tbody>
    </table>
  );
}

function Detail({ width, children }: { readonly width: number; readonly children: ReactNode }) {
  if (children == null) return null;
  return (
    <tr className="detail">
      <td colSpan={width}>{children}</td>
    </tr>
  );
}
