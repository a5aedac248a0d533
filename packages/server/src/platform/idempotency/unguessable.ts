/** Whether strangers cannot guess a name that a client chose. Counters, dates and words can be guessed. */
const RANDOM_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
/** Exactly 32 digits: nonces, transactions and hashes of requests have 64, and are public. */
const RANDOM_HEX = /^[0-9a-f]{32}$/i;
/** x402 clients prefix a word: `pay_7d5d…`. */
const PREFIX = /^[a-z]{1,16}[_-](?=[0-9a-f]{8})/i;
/** Random digits rarely have fewer different ones; zeros and counters do. */
const LEAST_DIFFERENT_DIGITS = 8;

export function isUnguessable(name: string): boolean {
  const random = name.replace(PREFIX, '');
  const digits = new Set(random.toLowerCase().replaceAll('-', ''));
  return (RANDOM_UUID.test(random) || RANDOM_HEX.test(random)) && digits.size >= LEAST_DIFFERENT_DIGITS;
}
