import { qrMatrix } from './qr-matrix.ts';

const BORDER = 4;

/** Always black on white, in both themes: cameras expect it. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const rows = qrMatrix(text);
  const size = rows.length + 2 * BORDER;
  const path = rows.flatMap((row, y) => row.flatMap((black, x) => (black ? `M${x + BORDER} ${y + BORDER}h1v1h-1z` : []))).join('');
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <path d={path} />
    </svg>
  );
}
