/**
 * A restore brings back a payout address that its owner may have replaced since the backup. It also brings back old keys, with which a
 * stranger may become the owner. Both are paid after the delay of changed payout addresses; an address that its owner signs after the
 * restore is paid at once.
 */
import { type AgentId, toWireTime } from '@market/contract';
import type { Clock } from '../../platform/clock/clock.ts';
import type { Db } from '../../platform/db/database.ts';
import { type AddressFacts, readAddressFacts } from './restored-address-repository.ts';

export interface RestoreWait {
  readonly clock: Clock;
  readonly payoutChangeDelaySeconds: number;
}

export interface AddressHold {
  readonly until: Date;
  readonly reason: string;
}

/** A payout that an operator holds back is looked at again after this time. */
const AGAIN_MS = 3_600_000;

interface Payment {
  readonly agentId: AgentId;
  readonly destination: string;
  /** The time when the destination was stored. */
  readonly chosenAt: Date;
}

/** Undefined when the address is paid at once. */
export async function findAddressHold(db: Db, wait: RestoreWait, payment: Payment): Promise<AddressHold | undefined> {
  if (wait.payoutChangeDelaySeconds === 0) return undefined;
  const facts = await readAddressFacts(db, payment.agentId, payment.destination);
  return facts && holdOf(facts, payment.chosenAt, wait.clock.now(), wait.payoutChangeDelaySeconds * 1000);
}

function holdOf(facts: AddressFacts, chosenAt: Date, now: Date, delayMs: number): AddressHold | undefined {
  const { restoredAt, ownedSinceRestore: owned, moderationStatus, isOwn, isOwnerWallet, isChosen, signedAt } = facts;
  if (isOwn) return undefined;
  if (owned !== null) {
    const settledAt = new Date(owned.getTime() + delayMs);
    if (moderationStatus === 'spam')
      return hold(new Date(Math.max(settledAt.getTime(), now.getTime() + AGAIN_MS)), 'An operator has stopped the agent.');
    if (now < settledAt) return hold(settledAt, `${RESTORED}, and the agent got its owner after that. ${until(settledAt)}`);
  }
  if (restoredAt === null || isOwnerWallet || (signedAt !== null && signedAt > restoredAt)) return undefined;
  const isOfBackup = isChosen || chosenAt < restoredAt;
  const heldUntil = new Date(restoredAt.getTime() + delayMs);
  if (!isOfBackup || now >= heldUntil) return undefined;
  return hold(
    heldUntil,
    `${RESTORED}, so the payout address may be an old one. ${until(heldUntil)} It leaves at once when the owner signs an address anew.`,
  );
}

const RESTORED = 'The marketplace was restored from a backup';
const until = (time: Date) => `This waits until ${toWireTime(time).slice(0, 16)} UTC.`;
const hold = (time: Date, reason: string): AddressHold => ({ until: time, reason });
