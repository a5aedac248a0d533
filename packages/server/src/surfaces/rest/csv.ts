/** A list of flat records as CSV. A field that a spreadsheet would run as a formula becomes text. */
export function toCsv(records: readonly Readonly<Record<string, unknown>>[]): string {
  const columns = Object.keys(records[0] ?? {});
  const lines = [columns, ...records.map((record) => columns.map((column) => record[column]))];
  return lines.map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

/** Negative amounts stay numbers; other text that starts like a formula is quoted as text. */
function cell(value: unknown): string {
  const text = value === null || value === undefined ? '' : String(value);
  const isNumber = /^-?\d+(\.\d+)?$/.test(text);
  const inert = !isNumber && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
