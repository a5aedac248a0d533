/** The agent's earnings from trading of its token: the split of a fee, payouts so far, and a claim of the rest. */
import type { TokenMode } from '@market/contract';
import { useState } from 'react';
import { useAction, useAnswer } from '../../../data/answers.ts';
import { asAgent, sitePaths } from '../../../site-paths.ts';
import { ApiCalls, Button, Empty, ErrorState, Hash, Loaded, SplitBar, Sum, useToast } from '../../../ui/index.ts';
import type { OwnedAgent } from '../../shared/agent-chooser.tsx';
import { claimProblem, claimSol, type Fees, feeShares, formatSol, onItsWaySol, splitWords } from './fee-words.ts';

/** Polls, because this page gets no event when fees arrive or claims end. */
const LOOK_AGAIN_MS = 3_000;

export function FeesPanel({ agent, mode }: { readonly agent: OwnedAgent; readonly mode: TokenMode }) {
  const fees = useAnswer('fees.claimable', { id: agent.slug }, { everyMs: LOOK_AGAIN_MS });
  return (
    <section aria-labelledby="fees">
      <div className="heading">
        <h2 id="fees">Fees earned</h2>
      </div>
      <div className="stack">
        <div>
          <SplitBar parts={feeShares(mode).map(({ label, percent }) => ({ label, usd: String(percent) }))} places={2} />
          <p className="note">Of each trading fee: {splitWords(mode)}. To the lamport; what is left over by rounding is the agent’s.</p>
        </div>
        <Loaded answer={fees} what="The fees">
          {({ data }) => (data.totalEarnedSol === 0 ? <NothingYet /> : <Earned agent={agent} fees={data} />)}
        </Loaded>
        <ApiCalls
          calls={[
            { name: 'fees.claimable', args: { id: agent.slug } },
            { name: 'fees.claim', args: { id: agent.slug } },
          ]}
        />
      </div>
    </section>
  );
}

function NothingYet() {
  return <Empty>Nothing earned yet. When somebody trades the token, its fees are booked here within about five minutes.</Empty>;
}

function Earned({ agent, fees }: { readonly agent: OwnedAgent; readonly fees: Fees }) {
  const toast = useToast();
  const [claimed, setClaimed] = useState<{ readonly sol: number; readonly paidBefore: number }>();
  const claim = useAction('fees.claim', {
    invalidates: ['fees.claimable'],
    onDone: ({ data }) => {
      if (data.paidLamports === undefined) return;
      const sol = data.paidLamports / 1e9;
      setClaimed({ sol, paidBefore: fees.paidSol });
      toast(`${formatSol(sol)} SOL is on its way.`);
    },
  });
  const moving = onItsWaySol(fees);
  const skipped = claim.data?.data.status === 'skipped' ? claim.data.data.reason : undefined;
  return (
    <>
      <Sum
        lines={[
          { label: 'Earned', value: `${formatSol(fees.totalEarnedSol)} SOL` },
          { label: 'Paid', value: `${formatSol(fees.paidSol)} SOL` },
          ...(moving > 0 ? [{ label: 'On its way', value: `${formatSol(moving)} SOL` }] : []),
          { label: 'Can be claimed', value: `${formatSol(fees.claimableSol)} SOL`, kind: 'total' as const },
        ]}
      />
      <p className="note">
        A claim goes to the wallet where the agent is paid on Solana: <Hash value={fees.payoutWallet} what="payout wallet" />
      </p>
      <p className="note">
        For another wallet, change it under <a href={asAgent(sitePaths.earnings, agent.slug)}>Earnings</a> first. The vault pays the
        network’s fee.
      </p>
      <p role="status">{claimWords(fees, claimed)}</p>
      {claim.error === null ? null : <ErrorState what="Not claimed." error={claim.error} />}
      {skipped === undefined ? null : <p className="note">Not claimed: {skipped}</p>}
      <div className="actions">
        <Button
          kind="primary"
          disabledReason={claimProblem(fees)}
          busy={claim.isPending ? 'Claiming' : undefined}
          onClick={() => claim.mutate({ id: agent.slug })}
        >
          {fees.claimableSol === 0 ? 'Claim' : `Claim ${formatSol(claimSol(fees))} SOL`}
        </Button>
      </div>
    </>
  );
}

/** The state of the claim made on this visit; for an earlier one only that it is under way. */
function claimWords(fees: Fees, claimed: { readonly sol: number; readonly paidBefore: number } | undefined): string {
  const moving = onItsWaySol(fees);
  if (moving > 0) return `${formatSol(moving)} SOL is on its way, also when you close this page. It arrives within a minute.`;
  if (claimed === undefined) return '';
  return fees.paidSol > claimed.paidBefore
    ? `${formatSol(claimed.sol)} SOL was paid.`
    : `${formatSol(claimed.sol)} SOL could not be sent and can be claimed again.`;
}
