/** Draws the word PREVIEW across the whole picture by strokes, because a bare machine has no fonts. */

/** Each letter fits a box of 4 by 6. */
const LETTERS: Readonly<Record<string, string>> = {
  P: 'M0 6V0H3V3H0',
  R: 'M0 6V0H3V3H0L3 6',
  E: 'M3 0H0V6H3M0 3H2.5',
  V: 'M0 0L1.5 6L3 0',
  I: 'M1.5 0V6',
  W: 'M0 0L.8 6L1.5 2L2.2 6L3 0',
};

const LETTER_STEP = 4.5;
const WORD = 'PREVIEW';
const TILE = { width: WORD.length * LETTER_STEP + 9, height: 20 };

export function drawWatermark(width: number, height: number): string {
  const scale = Math.max(1, Math.max(width, height) / 130);
  const word = [...WORD].map((letter, n) => `<path transform="translate(${n * LETTER_STEP + 3} 7)" d="${LETTERS[letter]}"/>`).join('');
  // A dark stroke under a light one, so that it shows on any picture.
  const stroke = (colour: string, opacity: number, thickness: number) =>
    `<g fill="none" stroke="${colour}" stroke-opacity="${opacity}" stroke-width="${thickness}" stroke-linejoin="round" stroke-linecap="round">${word}</g>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">`,
    `<defs><pattern id="mark" width="${TILE.width}" height="${TILE.height}" patternUnits="userSpaceOnUse" patternTransform="rotate(-30) scale(${scale})">`,
    stroke('#000', 0.45, 1.3),
    stroke('#fff', 0.75, 0.7),
    '</pattern></defs><rect width="100%" height="100%" fill="url(#mark)"/></svg>',
  ].join('');
}
