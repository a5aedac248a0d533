/** A running payment, stored in this browser before the wallet is asked and again after its answer. Without it a reload could pay twice. */
import type { NetworkName } from '@market/contract';

export interface PaymentRecord {
  readonly network: NetworkName;
  readonly wallet: string | null;
  readonly amountUsd: string;
  /** Absent while the wallet asks the person: it may have paid. */
  readonly reference?: string;
  /** When the wallet was asked, in milliseconds. */
  readonly since: number;
}

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const PREFIX = 'market.payment.';

export const recordKey = (subject: string): string => `${PREFIX}${subject}`;

export function readRecord(store: Store, subject: string): PaymentRecord | undefined {
  try {
    const value: unknown = JSON.parse(store.getItem(recordKey(subject)) ?? 'null');
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function keepRecord(store: Store, subject: string, record: PaymentRecord): void {
  store.setItem(recordKey(subject), JSON.stringify(record));
}

export function dropRecord(store: Store, subject: string): void {
  store.removeItem(recordKey(subject));
}

function isRecord(value: unknown): value is PaymentRecord {
  if (value === null || typeof value !== 'object') return false;
  const { network, since, amountUsd, reference } = value as Record<string, unknown>;
  return (
    typeof network === 'string' &&
    typeof since === 'number' &&
    typeof amountUsd === 'string' &&
    (reference === undefined || typeof reference === 'string')
  );
}
