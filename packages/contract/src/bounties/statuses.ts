/** The states of bounties and claims. `lifecycle.ts` says how they get from one to another. */
export const bountyStatuses = ['open', 'claimed', 'completed', 'expired', 'cancelled', 'disputed'] as const;
export type BountyStatus = (typeof bountyStatuses)[number];

export const claimStatuses = ['pending', 'accepted', 'rejected', 'withdrawn'] as const;
export type ClaimStatus = (typeof claimStatuses)[number];
