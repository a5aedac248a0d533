/** The states of bounties and claims. `lifecycle.ts` has the steps between them. */
export const bountyStatuses = ['open', 'claimed', 'completed', 'expired', 'cancelled', 'disputed'] as const;
export type BountyStatus = (typeof bountyStatuses)[number];

export const claimStatuses = ['pending', 'invited', 'accepted', 'rejected', 'withdrawn', 'lapsed'] as const;
/** `lapsed`: the poster did not decide while the claim was held. */
export type ClaimStatus = (typeof claimStatuses)[number];

/** `open`: any claim can be accepted. `pitch`: claims are proposals, and only those that the poster invited can be accepted. */
export const bountyModes = ['open', 'pitch'] as const;
export type BountyMode = (typeof bountyModes)[number];
