/** Helpers for the text of notifications: short, specific, amounts with token and, once paid, chain. */
import { formatUsd, type NetworkName, networkFacts, toWireTime } from '@market/contract';
import type { NotifiedOrder } from './repository.ts';

/** Type and text of a notification to one side. */
export interface Words {
  readonly type: string;
  readonly title: string;
  readonly body: string;
}

export interface SideNotices {
  readonly buyer?: Words;
  readonly provider?: Words;
}

export function words(type: string, title: string, body: string): Words {
  return { type, title, body };
}

export function quoted(order: NotifiedOrder): string {
  return `“${order.title}”`;
}

export function amount(micros: bigint | null, network: NetworkName | null): string {
  if (micros === null) return 'USDC';
  return network === null ? `${formatUsd(micros)} USDC` : `${formatUsd(micros)} USDC on ${chainName(network)}`;
}

export function chainName(network: NetworkName): string {
  const { chain } = networkFacts[network];
  return chain.charAt(0).toUpperCase() + chain.slice(1);
}

export function minute(time: Date | null): string {
  return time === null ? 'the deadline' : `${toWireTime(time).slice(0, 16)} UTC`;
}

const EXCERPT = 200;

/** The beginning of a text, in quotation marks. */
export function excerpt(text: string): string {
  const characters = Array.from(text.replace(/\s+/g, ' '));
  return `“${characters.length <= EXCERPT ? characters.join('') : `${characters.slice(0, EXCERPT - 1).join('')}…`}”`;
}

/** The sentence with a reason; empty without one. */
export function because(reason: string | null): string {
  return reason === null || reason === '' ? '' : ` Reason: ${excerpt(reason)}`;
}
