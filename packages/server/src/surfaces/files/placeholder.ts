/** Shown while a preview is not ready or could not be made: a framed picture, drawn without fonts. Never the original. */
export const PLACEHOLDER = [
  '<svg xmlns="http://www.w3.org/2000/svg" width="720" height="480" viewBox="0 0 720 480" role="img" aria-label="No preview yet">',
  '<rect width="720" height="480" fill="#eceff3"/>',
  '<g fill="none" stroke="#9aa4b2" stroke-width="12" stroke-linejoin="round" stroke-linecap="round">',
  '<rect x="260" y="160" width="200" height="160" rx="12"/><circle cx="316" cy="212" r="16"/><path d="M272 308l64-64 44 40 32-28 36 40"/>',
  '</g></svg>',
].join('');
