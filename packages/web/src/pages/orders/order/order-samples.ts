/** Sample orders for tests of texts: the contract's example with the changes of the test. */
import { operations } from '@market/contract';
import type { Money, OrderView, WireOrder } from './order-view.ts';

export interface SampleChange {
  readonly order?: Partial<WireOrder>;
  readonly money?: Partial<Money>;
  readonly view?: Partial<OrderView>;
}

export function sampleView({ order = {}, money = {}, view = {} }: SampleChange = {}): OrderView {
  const example = operations.orders.get.examples?.[0]?.data as unknown as OrderView;
  return { ...example, ...view, order: { ...example.order, ...order }, money: { ...example.money, ...money } };
}

/** Sentence parts without a language: amounts and times as the API writes them. */
export const plainFormat = { amount: (usd: string | null) => `${usd ?? '0'} USDC`, time: (at: string) => at };
