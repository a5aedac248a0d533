// One blockhash per slot, derived from a random seed of the chain: unpredictable, stable across restarts, and defined for every slot.
// (The engine's own hashes repeat on every chain, so that equal payments would get equal signatures.)

import { createHash } from 'node:crypto';
import { encodeBase58 } from './base58.ts';

/** A transaction must land within this many blocks after the block of its blockhash. */
export const BLOCKHASH_LIFETIME = 150;

export function createBlockhashes(seed: Uint8Array, firstSlot: number) {
  const hashBySlot = new Map<number, string>();
  const slotByHash = new Map<string, number>();

  function hashOf(slot: number): string {
    const known = hashBySlot.get(slot);
    if (known !== undefined) return known;
    const hash = encodeBase58(createHash('sha256').update(seed).update(`slot ${slot}`).digest());
    hashBySlot.set(slot, hash);
    slotByHash.set(hash, slot);
    return hash;
  }

  function forgetOlderThan(slot: number): void {
    for (const [known, hash] of hashBySlot) {
      if (known >= slot) continue;
      hashBySlot.delete(known);
      slotByHash.delete(hash);
    }
  }

  return {
    hashOf,

    /** Whether a transaction with this hash may land in a block at `slot`. */
    isRecent(hash: string, slot: number): boolean {
      if (!slotByHash.has(hash)) {
        const oldest = Math.max(firstSlot, slot - BLOCKHASH_LIFETIME);
        if (hashBySlot.size > 4 * BLOCKHASH_LIFETIME) forgetOlderThan(oldest);
        for (let candidate = oldest; candidate <= slot; candidate++) hashOf(candidate);
      }
      const found = slotByHash.get(hash);
      return found !== undefined && found <= slot && slot - found <= BLOCKHASH_LIFETIME;
    },
  };
}
