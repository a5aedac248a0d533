/** Polls a payment until it is final enough. Holds no database connection in between. */
import { MarketError } from '@market/contract';
import type { TransferKey } from './repository.ts';
import type { WaitingRoom } from './waiting-room.ts';

/** Without `gone`, or without a free place, the first look decides. */
export async function awaitFinality<T>(
  room: WaitingRoom,
  gone: AbortSignal | undefined,
  { caip2, reference }: TransferKey,
  look: () => Promise<T>,
): Promise<T> {
  try {
    return await look();
  } catch (error) {
    const stay = gone === undefined || !hasCode(error, 'payment_not_final') ? undefined : room.enter(`${caip2}/${reference}`, gone);
    if (stay === undefined) throw error;
    try {
      while (await stay.next()) {
        const found = await lookAgain(look);
        if (found !== undefined) return found.found;
      }
    } finally {
      stay.leave();
    }
    throw error;
  }
}

/** Undefined when it is still too early. A node that does not answer proves nothing about the payment. */
async function lookAgain<T>(look: () => Promise<T>): Promise<{ readonly found: T } | undefined> {
  try {
    return { found: await look() };
  } catch (error) {
    if (hasCode(error, 'payment_not_final') || hasCode(error, 'chain_unavailable')) return undefined;
    throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof MarketError && error.code === code;
}
