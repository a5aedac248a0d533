/** Encodes text as a QR code: its black squares as one SVG path, with the quiet zone that scanners need. */
import encodeQR from 'qr';

const BORDER = 4;

export interface QrPath {
  /** Squares per side, including the quiet zone. */
  readonly size: number;
  readonly path: string;
}

export function qrPath(text: string): QrPath {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', encoding: 'byte', border: BORDER });
  const path = rows.flatMap((row, y) => row.flatMap((black, x) => (black ? `M${x} ${y}h1v1h-1z` : []))).join('');
  return { size: rows.length, path };
}
