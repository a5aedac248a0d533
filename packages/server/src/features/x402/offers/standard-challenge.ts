/**
 * The challenge of version 2 in the header PAYMENT-REQUIRED. One facilitator failed on headers above 3 KB, and nginx refuses a head above 4
 * KB by default. Therefore long texts go into the body, and signed offers to an address of their own.
 */
import { paymentIdentifierExtension } from '../intake/name-payment.ts';
import type { X402Context } from '../x402-context.ts';
import type { ChallengeOptions } from './challenge-options.ts';
import { discoveryExtension } from './discovery-extension.ts';
import { type Offer, orderedChains, type StandardOffer, standardOffer } from './offers.ts';
import { offersReference } from './signed-offers.ts';

export const PAYMENT_NEEDED = 'X-PAYMENT or PAYMENT-SIGNATURE header is required';

/** Leaves room for the other headers of a refused payment, its receipt among them. */
const MOST_HEADER_BYTES = 2_850;
const MOST_DESCRIPTION_BYTES = 100;
const MOST_WORDS_BYTES = 120;

export interface StandardChallenge {
  readonly x402Version: 2;
  readonly error: string;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly accepts: readonly StandardOffer[];
  readonly extensions: Readonly<Record<string, unknown>>;
}

/** Undefined where no standard payment can be settled. */
export function standardChallenge(
  context: X402Context,
  offer: Offer,
  options: ChallengeOptions,
  words: string,
): StandardChallenge | undefined {
  const accepts: StandardOffer[] = orderedChains(context.chains, options.network)
    .filter(({ network }) => context.facilitator.networks.includes(network))
    .map((chain) => standardOffer(chain, context, offer.amountMicros));
  if (accepts.length === 0) return undefined;
  return {
    x402Version: 2,
    error: clip(words, MOST_WORDS_BYTES),
    resource: {
      url: options.url,
      description: clip(offer.description, MOST_DESCRIPTION_BYTES),
      mimeType: 'application/json',
      serviceName: printable(context.serviceName).slice(0, 32),
      tags: offer.tags,
    },
    accepts,
    extensions: {
      ...(options.extension ?? discoveryExtension(options.method)),
      ...paymentIdentifierExtension,
      ...offersReference(context, options.offersUrl),
    },
  };
}

/** Drops extensions, last first, when a long base address makes the header too long. */
export function encodeChallenge(challenge: StandardChallenge): string {
  const extensions = Object.entries(challenge.extensions);
  for (let kept = extensions.length; kept > 0; kept--) {
    const encoded = encode({ ...challenge, extensions: Object.fromEntries(extensions.slice(0, kept)) });
    if (encoded.length <= MOST_HEADER_BYTES) return encoded;
  }
  return encode({ ...challenge, extensions: {} });
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}

/** Cuts by whole characters, so that no emoji breaks, and counts their bytes in JSON. */
function clip(text: string, mostBytes: number): string {
  if (bytesOf(text) <= mostBytes) return text;
  let kept = '';
  let bytes = bytesOf('…');
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    bytes += bytesOf(segment);
    if (bytes > mostBytes) return `${kept}…`;
    kept += segment;
  }
  return kept;
}

function bytesOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '');
}
