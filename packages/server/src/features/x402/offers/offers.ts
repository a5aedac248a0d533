/** One offer on each network, in three forms: the specification's, x402 version 1 and version 2. */
import { type NetworkName, networkFacts } from '@market/contract';
import type { Chain } from '../../../platform/chains/chain.ts';
import type { Clock } from '../../../platform/clock/clock.ts';
import type { Facilitator } from '../../../platform/facilitator/facilitator.ts';

/** Long enough to sign and send; short enough that old prices end soon. */
const OFFER_SECONDS = 120;
const DAY_SECONDS = 86_400;

/** What a request can buy, and its price, before a network is chosen. */
export interface Offer {
  readonly amountMicros: bigint;
  readonly description: string;
  /** The description contains the words of a seller. */
  readonly bySeller?: true;
  /** The absolute address of the resource that is paid for. */
  readonly resource: string;
  readonly tags: readonly string[];
}

/** The specification's requirement object, plus fields that newer clients read. */
export interface FlatOffer {
  readonly version: '1';
  readonly scheme: 'exact';
  readonly network: NetworkName;
  readonly asset: { readonly currency: 'USDC'; readonly address: string };
  readonly payTo: string;
  readonly maxAmountRequired: string;
  readonly description: string;
  readonly resource: string;
  readonly mimeType: 'application/json';
  readonly maxTimeoutSeconds: number;
  readonly amount: string;
  readonly extra: Record<string, unknown>;
}

/** An entry of the standard challenge, version 2. */
export interface StandardOffer {
  readonly scheme: 'exact';
  readonly network: `${string}:${string}`;
  readonly amount: string;
  readonly asset: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  readonly extra: Record<string, unknown>;
}

/** The dependencies of an offer beside price and network. */
export interface OfferTerms {
  readonly facilitator: Facilitator;
  readonly clock: Clock;
}

/**
 * Clients date an authorisation by their own clock, chains judge it by theirs. A sandbox whose time was moved is ahead of its clients. So
 * its offers are good for that much longer, in whole days: kept answers stay true when it moves a little.
 */
function offerSeconds({ clock }: OfferTerms): number {
  const aheadSeconds = Math.round((clock.now().getTime() - clock.realNow().getTime()) / 1000);
  return OFFER_SECONDS + Math.max(0, Math.ceil(aheadSeconds / DAY_SECONDS)) * DAY_SECONDS;
}

export function flatOffer(chain: Chain, terms: OfferTerms, offer: Offer): FlatOffer {
  const amount = String(offer.amountMicros);
  return {
    version: '1',
    scheme: 'exact',
    network: chain.network,
    asset: { currency: 'USDC', address: chain.usdcAddress },
    payTo: chain.treasury,
    maxAmountRequired: amount,
    description: offer.description,
    resource: offer.resource,
    mimeType: 'application/json',
    maxTimeoutSeconds: offerSeconds(terms),
    amount,
    extra: { ...terms.facilitator.extraOf(chain.network) },
  };
}

export function standardOffer(chain: Chain, terms: OfferTerms, amountMicros: bigint): StandardOffer {
  return {
    scheme: 'exact',
    network: chain.caip2 as StandardOffer['network'],
    amount: String(amountMicros),
    asset: chain.usdcAddress,
    payTo: chain.treasury,
    maxTimeoutSeconds: offerSeconds(terms),
    extra: { ...terms.facilitator.extraOf(chain.network) },
  };
}

/** The list to the letter of version 1. Its readers refuse a whole list for one network they do not know, so such networks are left out. */
export function firstVersionOffers(
  offers: readonly FlatOffer[],
  outputSchema: Readonly<Record<string, unknown>>,
): readonly Record<string, unknown>[] {
  return offers.flatMap((offer) => {
    const { x402v1Name: network } = networkFacts[offer.network];
    return network === null ? [] : [{ ...firstVersionOffer(offer, network), outputSchema }];
  });
}

function firstVersionOffer(offer: FlatOffer, network: string): Record<string, unknown> {
  return {
    scheme: offer.scheme,
    network,
    maxAmountRequired: offer.maxAmountRequired,
    resource: offer.resource,
    description: offer.description,
    mimeType: offer.mimeType,
    payTo: offer.payTo,
    maxTimeoutSeconds: offer.maxTimeoutSeconds,
    asset: offer.asset.address,
    extra: offer.extra,
  };
}

/** The address of a resource that answers in version 1. */
export function firstVersionAddress(url: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}x402Version=1`;
}

/** The requested chain first, then the others in their fixed order. */
export function orderedChains(chains: ReadonlyMap<NetworkName, Chain>, first: NetworkName | undefined): readonly Chain[] {
  const all = [...chains.values()];
  return first === undefined ? all : [...all.filter(({ network }) => network === first), ...all.filter(({ network }) => network !== first)];
}
