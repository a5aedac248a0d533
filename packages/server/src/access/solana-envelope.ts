/**
 * The bytes that a Solana wallet signs for a text. Browser wallets sign the text itself. Hardware wallets and the Solana CLI sign it in the
 * off-chain message envelope (version 0). So a message can never be a transaction.
 */
const DOMAIN = Buffer.from('\xffsolana offchain', 'latin1');
const VERSION = 0;
const NO_APPLICATION = Buffer.alloc(32);
const ONE_SIGNER = 1;
/** Printable ASCII in one line. */
const RESTRICTED_ASCII = 0;
/** Also line breaks. */
const LIMITED_UTF8 = 1;
/** Longer than any text of ours, and the longest that devices accept with the full header. */
const LONGEST = 1_147;

/** Every accepted form of a text: plain, with the short header of devices, and with the full header of the specification. */
export function solanaFormsOf(text: Buffer, signer: Uint8Array): readonly Buffer[] {
  if (text.length > LONGEST || !text.every(isAscii)) return [text];
  const length = Buffer.from([text.length & 0xff, text.length >> 8]);
  // Devices disagree about the format to state for several lines of ASCII.
  const formats = text.includes('\n') ? [LIMITED_UTF8, RESTRICTED_ASCII] : [RESTRICTED_ASCII];
  return [
    text,
    ...formats.flatMap((format) => [
      Buffer.concat([DOMAIN, Buffer.from([VERSION, format]), length, text]),
      Buffer.concat([DOMAIN, Buffer.from([VERSION]), NO_APPLICATION, Buffer.from([format, ONE_SIGNER]), signer, length, text]),
    ]),
  ];
}

function isAscii(byte: number): boolean {
  return (byte >= 0x20 && byte <= 0x7e) || byte === 0x0a;
}
