/** Base58 as Solana writes addresses and signatures. Small, because pages need nothing else of Solana. */
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

export function encodeBase58(bytes: Uint8Array): string {
  const digits: number[] = [];
  for (const byte of bytes) {
    let carry = byte;
    for (let place = 0; place < digits.length || carry > 0; place += 1) {
      const value = (digits[place] ?? 0) * 256 + carry;
      digits[place] = value % 58;
      carry = Math.floor(value / 58);
    }
  }
  const zeros = bytes.findIndex((byte) => byte !== 0);
  const leading = zeros === -1 ? bytes.length : zeros;
  return (
    '1'.repeat(leading) +
    digits
      .reverse()
      .map((digit) => ALPHABET[digit])
      .join('')
  );
}
