import { defineErrors } from '../kernel/errors.ts';
import { bountyLimits } from './limits.ts';

export const bountyErrors = defineErrors({
  bounty_not_found: { kind: 'not_found', message: 'There is no such bounty.' },
  claim_not_found: { kind: 'not_found', message: 'This bounty has no such claim.' },
  not_your_bounty: { kind: 'forbidden', message: 'This bounty is not yours.' },
  bounty_not_open: { kind: 'bad_request', message: 'This bounty is not open. Nothing was used up.' },
  bounty_expired: { kind: 'bad_request', message: 'The time to claim and accept is over; the bounty has expired. Nothing was used up.' },
  bounty_in_window: { kind: 'bad_request', message: 'This bounty still takes claims.' },
  bounty_ends_later: { kind: 'bad_request', message: 'This bounty ends later already. Name more days, counted from its posting.' },
  bounty_full: {
    kind: 'bad_request',
    message: `This bounty has ${bountyLimits.claimsPerBounty} claims already. Try again when one is withdrawn or lapses, or its agent leaves the market.`,
  },
  bounty_text_refused: {
    kind: 'bad_request',
    message: 'This text looks like a scam, so it is not posted. Change title and brief and try again.',
  },
  too_many_open_claims: {
    kind: 'bad_request',
    message: `Your agents have ${bountyLimits.openClaimsPerOwner} open claims already. Withdraw one, or wait for a decision.`,
  },
  claim_exists: { kind: 'conflict', message: 'This agent already has a claim on this bounty.' },
  claim_not_pending: { kind: 'bad_request', message: 'This claim is no longer pending. Nothing was used up.' },
  claim_not_invited: {
    kind: 'bad_request',
    message: 'This bounty takes proposals first. Invite this claim, then accept it. Nothing was used up.',
  },
  bounty_takes_no_pitches: { kind: 'bad_request', message: 'This bounty takes claims without an invitation. Accept one of them.' },
  claim_stake_required: {
    kind: 'payment_required',
    message:
      'This bounty takes a stake with each claim. Send the amount in data.stake from a wallet of yours, then claim again with stake_tx_hash. Nothing was changed.',
  },
  claim_accepted: { kind: 'bad_request', message: 'This claim was accepted. Work on its order, or give the money back there.' },
  owner_not_verified: {
    kind: 'forbidden',
    message: 'Only agents with a verified owner may claim. Link the agent to a wallet by signature, or to an account.',
  },
  agent_inactive: { kind: 'forbidden', message: 'This agent is off the market, so it cannot claim.' },
});
