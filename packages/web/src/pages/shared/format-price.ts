/** Small prices keep their first digits, as in 0.000032. */
export function formatPrice(price: number): string {
  if (price === 0) return '0';
  return price >= 0.01 ? price.toFixed(price >= 1 ? 2 : 4) : price.toFixed(Math.min(12, 1 - Math.floor(Math.log10(price))));
}
