/** Orders for tests of words: one as the contract shows it, changed as the test needs. */
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

/** Without a visitor's language: amounts and times as the wire has them. */
export const plainSay = { amount: (usd: string | null) => `${usd ?? '0'} USDC`, time: (at: string) => at };
