// Translates `safe` and `finalized` into block numbers behind the head, as on a real chain; in the engine every block is final at once.

import { type Hex, toQuantity } from '../hex.ts';

export interface FinalityBlocks {
  readonly safe: number;
  readonly finalized: number;
}

/** The position of a method's block parameter, and defaults of omitted parameters. */
export interface MethodShape {
  readonly blockAt?: number;
  readonly defaults?: readonly unknown[];
}

export function resolveParams(shape: MethodShape, params: readonly unknown[], head: number, finality: FinalityBlocks): unknown[] {
  const complete = [...params, ...(shape.defaults ?? []).slice(params.length)];
  return complete.map((value, index) => (index === shape.blockAt ? resolveTag(value ?? 'latest', head, finality) : value));
}

/** Resolves `fromBlock` and `toBlock` of a log filter. */
export function resolveFilter(filter: unknown, head: number, finality: FinalityBlocks): unknown {
  if (typeof filter !== 'object' || filter === null) return filter;
  const range = Object.entries(filter)
    .filter(([key, value]) => (key === 'fromBlock' || key === 'toBlock') && value !== undefined)
    .map(([key, value]) => [key, resolveTag(value ?? 'latest', head, finality)]);
  return { ...filter, ...Object.fromEntries(range) };
}

/** Resolves a block tag. `pending` is the latest block, because calls do not see waiting transactions; only nonces count them. */
export function resolveTag(tag: unknown, head: number, { safe, finalized }: FinalityBlocks): unknown {
  if (tag === 'pending') return 'latest';
  if (tag === 'safe') return blockBehind(head, safe);
  if (tag === 'finalized') return blockBehind(head, finalized);
  return tag;
}

function blockBehind(head: number, blocks: number): Hex {
  return toQuantity(Math.max(0, head - blocks));
}
