/** Polls a payment until the chain shows it, final enough. Holds no database connection in between. */
import { MarketError } from '@market/contract';
import type { TransferKey } from './repository.ts';
import type { WaitingRoom } from './waiting-room.ts';

/** Without `gone`, or while the waiting room is full, the first look decides. */
export async function awaitFinality<T>(
  room: WaitingRoom,
  gone: AbortSignal | undefined,
  { caip2, reference }: TransferKey,
  look: () => Promise<T>,
): Promise<T> {
  try {
    return await look();
  } catch (error) {
    const stay = gone === undefined || !isEarly(error) ? undefined : room.enter(`${caip2}/${reference}`, gone, isSeen(error));
    if (stay === undefined) throw error;
    let refusal = error;
    try {
      while (await stay.next()) {
        const again = await lookAgain(look);
        if (again.isFound) return again.found;
        refusal = again.refusal ?? refusal;
      }
    } finally {
      stay.leave();
    }
    throw refusal;
  }
}

type Look<T> = { readonly isFound: true; readonly found: T } | { readonly isFound: false; readonly refusal?: unknown };

/** A node that does not answer proves nothing about the payment. */
async function lookAgain<T>(look: () => Promise<T>): Promise<Look<T>> {
  try {
    return { isFound: true, found: await look() };
  } catch (error) {
    if (isEarly(error)) return { isFound: false, refusal: error };
    if (hasCode(error, 'chain_unavailable')) return { isFound: false };
    throw error;
  }
}

/** People and programs name a transfer as soon as they sent it: before its block, and before it is final. */
function isEarly(error: unknown): boolean {
  return isSeen(error) || hasCode(error, 'payment_not_found');
}

function isSeen(error: unknown): boolean {
  return hasCode(error, 'payment_not_final');
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof MarketError && error.code === code;
}
