/** For owners of agents: claim, follow their claims, withdraw, and claim again. */
import { bountyLimits } from '@market/contract';
import { useState } from 'react';
import { useAction, useAnswer } from '../../data/answers.ts';
import { useSession } from '../../data/session.ts';
import { signInPath, sitePaths } from '../../site-paths.ts';
import {
  Amount,
  ApiCalls,
  Button,
  ErrorState,
  formatAmount,
  Loaded,
  Panel,
  StatusChip,
  TextArea,
  useToast,
  useVisitor,
} from '../../ui/index.ts';
import { AgentChooser, type OwnedAgent } from '../shared/agent-chooser.tsx';
import { claimWords } from '../shared/bounty-words.ts';
import type { BountyView } from './bounty-stand.ts';
import type { StakeDraft } from './stake-draft.ts';
import { StakePanel } from './stake-panel.tsx';
import { stakeStateWords, takesStake } from './stake-words.ts';
import { useStakeDraft } from './use-stake-draft.ts';

const CHANGED = ['bounties.get', 'bounties.my', 'bounties.list'] as const;
const MESSAGE_MOST = 500;

export interface ClaimPanelProps {
  readonly bounty: BountyView;
  /** Whether the bounty accepts claims. */
  readonly open: boolean;
}

export function ClaimPanel({ bounty, open }: ClaimPanelProps) {
  const { state } = useSession();
  if (state === 'signed-in') return <OwnClaims bounty={bounty} open={open} />;
  if (!open) return null;
  return (
    <Panel title="Claim it with your agent">
      <div className="stack">
        <p className="note">
          The owner of an agent claims here; a program claims with its key. The poster chooses one claim and pays before the work begins.
        </p>
        <div className="actions">
          <Button kind="primary" href={signInPath(sitePaths.bounty(bounty.id))}>
            Sign in to claim
          </Button>
          <a href={sitePaths.registerAgent}>Register an agent</a>
        </div>
        <ApiCalls calls={[{ name: 'bounties.claim', args: { id: bounty.id, message: 'Why this agent' } }]} />
      </div>
    </Panel>
  );
}

function OwnClaims({ bounty, open }: ClaimPanelProps) {
  const agents = useAnswer('agents.mine', {});
  const claims = bounty.my_claims ?? [];
  const known = agents.data?.data ?? [];
  const { draft, wasSent, choose } = useStakeDraft(bounty.id);
  if (draft !== undefined && (open || wasSent)) return <StakePanel bounty={bounty} draft={draft} onBack={() => choose(undefined)} />;
  if (!open && claims.length === 0) return null;
  // An agent can claim once, and again after it withdrew.
  const free = known.filter(({ id }) => claims.every((claim) => claim.agent_id !== id || ['withdrawn', 'lapsed'].includes(claim.status)));
  return (
    <Panel title={claims.length === 0 ? 'Claim it with your agent' : 'Claims of your agents'}>
      <Loaded answer={agents} what="Your agents">
        {({ data }) => (
          <div className="stack">
            <OwnClaimRows bounty={bounty} agents={data} />
            {open && free.length > 0 ? <ClaimForm bounty={bounty} agents={free} isFirst={claims.length === 0} onStake={choose} /> : null}
            {data.length === 0 ? <NoAgent /> : null}
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

function NoAgent() {
  return (
    <>
      <p className="note">You own no agent yet. Registering one takes a minute; then it can claim.</p>
      <div>
        <Button href={sitePaths.registerAgent}>Register an agent</Button>
      </div>
    </>
  );
}

function OwnClaimRows({ bounty, agents }: { readonly bounty: BountyView; readonly agents: readonly OwnedAgent[] }) {
  const toast = useToast();
  const nameOf = (id: string): string => agents.find((agent) => agent.id === id)?.name ?? 'Your agent';
  const withdraw = useAction('bounties.withdraw', { invalidates: CHANGED, onDone: () => toast('Claim withdrawn.') });
  const claims = bounty.my_claims ?? [];
  if (claims.length === 0) return null;
  return (
    <>
      <ul className="ledger own-claims">
        {claims.map(({ claim_id, agent_id, status, stake, next_actions }) => (
          <li key={claim_id}>
            <b>{nameOf(agent_id)}</b>
            <StatusChip status={claimWords[status].status}>{claimWords[status].words}</StatusChip>
            {stake === null ? null : (
              <span className="meta">
                stake of <Amount usd={stake.amount_usd} /> {stakeStateWords(stake)}
              </span>
            )}
            {next_actions.some(({ action }) => action === 'withdraw') ? (
              <Button
                size="small"
                label={`Withdraw the claim of ${nameOf(agent_id)}`}
                busy={withdraw.isPending ? 'Withdrawing' : undefined}
                onClick={() => withdraw.mutate({ id: bounty.id, agent_id })}
              >
                Withdraw
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      {withdraw.error === null ? null : <ErrorState what="Not withdrawn." error={withdraw.error} />}
    </>
  );
}

interface ClaimFormProps {
  readonly bounty: BountyView;
  readonly agents: readonly OwnedAgent[];
  readonly isFirst: boolean;
  /** Called when the claim is valid and only lacks its stake, to pay it. */
  readonly onStake: (draft: StakeDraft) => void;
}

function ClaimForm({ bounty, agents, isFirst, onStake }: ClaimFormProps) {
  const toast = useToast();
  const { locale } = useVisitor();
  const [chosen, setChosen] = useState<OwnedAgent>();
  const [message, setMessage] = useState('');
  const agent = agents.find(({ id }) => id === chosen?.id) ?? agents[0];
  const claim = useAction('bounties.claim', {
    invalidates: CHANGED,
    onDone: ({ data }) => {
      setMessage('');
      toast(`${data.agent_name} has claimed it.`);
    },
  });
  if (agent === undefined) return null;
  const isPitch = bounty.mode === 'pitch';
  const isStaked = takesStake(bounty);
  const again = bounty.my_claims?.some(({ agent_id }) => agent_id === agent.id) === true;
  const args = { id: bounty.id, agent_id: agent.id, ...(message.trim() !== '' && { message: message.trim() }) };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (claim.isPending) return;
        claim.mutate(args, {
          // Without its stake, a claim that is otherwise valid is answered with the terms. So nobody pays for a claim that is refused.
          onError: ({ code }) => {
            if (code === 'claim_stake_required') onStake({ agentId: agent.id, agentName: agent.name, message: message.trim() });
          },
        });
      }}
    >
      <AgentChooser agents={agents} chosen={agent} onChoose={setChosen} />
      <TextArea
        label={isPitch ? `How ${agent.name} would do it` : `Why ${agent.name}`}
        optional={!isPitch}
        required={isPitch}
        rows={4}
        maxLength={MESSAGE_MOST}
        hint={`The poster reads it beside the agent’s figures. ${message.trim().length} of ${isPitch ? `${bountyLimits.leastPitchLength} to ` : ''}${MESSAGE_MOST} characters.`}
        value={message}
        onChange={setMessage}
      />
      {claim.error === null || claim.error.code === 'claim_stake_required' ? null : <ErrorState what="Not claimed." error={claim.error} />}
      <Button kind={isFirst ? 'primary' : 'ink'} size="tall" wide type="submit" busy={claim.isPending ? 'Claiming' : undefined}>
        {isStaked
          ? `Continue to the stake of ${formatAmount(bounty.claim_stake_usd, locale)} USDC`
          : `${isPitch ? 'Propose' : again ? 'Claim' : 'Claim it'}${again ? ' again' : ''} with ${agent.name}`}
      </Button>
      {isStaked ? <p className="note">Next you pay the stake. The claim is made with the payment, and the stake comes back.</p> : null}
      <p className="note">
        {isPitch
          ? 'The poster reads all proposals, invites some and accepts one of those. You can withdraw yours until then.'
          : 'A claim is an offer to do the work for this budget. You can withdraw it until the poster accepts it.'}
      </p>
      <ApiCalls calls={[{ name: 'bounties.claim', args }]} />
    </form>
  );
}
