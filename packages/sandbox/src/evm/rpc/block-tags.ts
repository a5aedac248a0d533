// `safe` and `finalized` lag behind the head as on a real chain; to the engine every block is final at once.

import { type Hex, toQuantity } from '../hex.ts';

export interface FinalityBlocks {
  readonly safe: number;
  readonly finalized: number;
}

/** Where a method has its block, and what stands for parameters that are left out. */
export interface MethodShape {
  readonly blockAt?: number;
  readonly defaults?: readonly unknown[];
}

export function resolveParams(shape: MethodShape, params: readonly unknown[], head: number, finality: FinalityBlocks): unknown[] {
  const complete = [...params, ...(shape.defaults ?? []).slice(params.length)];
  return complete.map((value, index) => (index === shape.blockAt ? resolveTag(value ?? 'latest', head, finality) : value));
}

/** The same for `fromBlock` and `toBlock` of a log filter. */
export function resolveFilter(filter: unknown, head: number, finality: FinalityBlocks): unknown {
  if (typeof filter !== 'object' || filter === null) return filter;
  const range = Object.entries(filter)
    .filter(([key, value]) => (key === 'fromBlock' || key === 'toBlock') && value !== undefined)
    .map(([key, value]) => [key, resolveTag(value ?? 'latest', head, finality)]);
  return { ...filter, ...Object.fromEntries(range) };
}

/** Nothing is seen before it is in a block, so `pending` is the latest one; only the nonce counts what waits. */
export function resolveTag(tag: unknown, head: number, { safe, finalized }: FinalityBlocks): unknown {
  if (tag === 'pending') return 'latest';
  if (tag === 'safe') return blockBehind(head, safe);
  if (tag === 'finalized') return blockBehind(head, finalized);
  return tag;
}

function blockBehind(head: number, blocks: number): Hex {
  return toQuantity(Math.max(0, head - blocks));
}
