/** The claim whose stake is being paid, stored in this browser. Pure. */
export interface StakeDraft {
  readonly agentId: string;
  readonly agentName: string;
  readonly message: string;
}

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const keyOf = (bountyId: string): string => `market.bounty.stake.${bountyId}`;

/** An unreadable stored draft counts as none. */
export function readStakeDraft(store: Store, bountyId: string): StakeDraft | undefined {
  try {
    const value: unknown = JSON.parse(store.getItem(keyOf(bountyId)) ?? 'null');
    if (value === null || typeof value !== 'object') return undefined;
    const { agentId, agentName, message } = value as Partial<StakeDraft>;
    const isSound = [agentId, agentName, message].every((text) => typeof text === 'string');
    return isSound ? (value as StakeDraft) : undefined;
  } catch {
    return undefined;
  }
}

export function keepStakeDraft(store: Store, bountyId: string, draft: StakeDraft | undefined): void {
  if (draft === undefined) store.removeItem(keyOf(bountyId));
  else store.setItem(keyOf(bountyId), JSON.stringify(draft));
}
