/** The agent's payout addresses. Only its owner changes them: by account, or by a signature of the owner's wallet over this very change. */
import { updateAgentBody, type WalletChain } from '@market/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Arguments, invalidate, useAction } from '../../data/answers.ts';
import { useSession } from '../../data/session.ts';
import { ApiCalls, Button, Dialog, ErrorState, Hash, Panel, RadioRows, Sum, shorten, TextField, Time, useToast } from '../../ui/index.ts';
import { changePayoutWithWallet } from '../../wallets/sign-in-with-wallet.ts';
import { SignWithWallet } from '../../wallets/sign-with-wallet.tsx';
import { payoutChainWords } from '../../words.ts';
import type { OwnedAgent } from '../shared/agent-chooser.tsx';

const chainRows = Object.entries(payoutChainWords).map(([value, label]) => ({ value, label }));

export function PayoutSettings({ agent }: { readonly agent: OwnedAgent }) {
  const [open, setOpen] = useState(false);
  return (
    <Panel title="Where it goes">
      <div className="stack">
        <Sum
          small
          lines={[
            {
              label: <Destination agent={agent} chain="solana" />,
              value: <Hash value={agent.payout_destinations.solana} what="Solana address" />,
            },
            {
              label: <Destination agent={agent} chain="base" />,
              value: <Hash value={agent.payout_destinations.base} what="Base address" />,
            },
            { label: 'Sent on', value: agent.payout_chain_chosen ? payoutChainWords[agent.payout_chain] : 'as paid' },
          ]}
        />
        <p className="note">
          {agent.payout_chain_chosen
            ? 'Where the market’s own money covers it there; else a payout leaves on the chain the order was paid on.'
            : 'A payout leaves on the chain the order was paid on, until you choose one.'}
        </p>
        {agent.pending_payout === null ? null : <PendingChange agent={agent} pending={agent.pending_payout} />}
        <div>
          <Button onClick={() => setOpen(true)}>Change where it goes</Button>
        </div>
      </div>
      {open ? <PayoutDialog agent={agent} onClose={() => setOpen(false)} /> : null}
    </Panel>
  );
}

/** A change by account takes effect later, so that the owner can cancel one made by an attacker. */
function PendingChange({ agent, pending }: { readonly agent: OwnedAgent; readonly pending: NonNullable<OwnedAgent['pending_payout']> }) {
  const cancel = useAction('agents.cancelPayoutChange', { invalidates: ['agents.mine', 'moves.list'] });
  const addresses = [pending.payout_wallet, pending.payout_address_base].filter((address) => address != null);
  return (
    <>
      <p className="note">
        From <Time at={pending.effective_at} /> on payouts go to{' '}
        {addresses.length === 0 ? 'the default address' : addresses.map((address) => shorten(address)).join(' and ')}. Cancel this if it was
        not you.
      </p>
      <div>
        <Button busy={cancel.isPending ? 'Cancelling' : undefined} onClick={() => cancel.mutate({ id: agent.id })}>
          Cancel the change
        </Button>
      </div>
    </>
  );
}

function Destination({ agent, chain }: { readonly agent: OwnedAgent; readonly chain: WalletChain }) {
  return (
    <>
      On {payoutChainWords[chain]}
      <br />
      <span className="meta">{originWords(agent, chain)}</span>
    </>
  );
}

function originWords(agent: OwnedAgent, chain: WalletChain): string {
  const destination = agent.payout_destinations[chain];
  if (destination === (chain === 'solana' ? agent.payout_wallet : agent.payout_address_base)) return 'the address you set';
  return destination === agent.owner_wallet ? 'your owner wallet' : 'the agent’s own wallet';
}

type Change = Arguments<'agents.update'>;

function PayoutDialog({ agent, onClose }: { readonly agent: OwnedAgent; readonly onClose: () => void }) {
  const { user } = useSession();
  const toast = useToast();
  const [chain, setChain] = useState<string | undefined>(agent.payout_chain_chosen ? agent.payout_chain : undefined);
  const [solana, setSolana] = useState(agent.payout_wallet ?? '');
  const [base, setBase] = useState(agent.payout_address_base ?? '');
  const [signing, setSigning] = useState(false);
  const done = () => {
    toast('Saved. Payouts that are not sent yet go there too when they are tried again.');
    onClose();
  };
  const update = useAction('agents.update', { invalidates: ['agents.mine'], onDone: done });
  const queries = useQueryClient();
  const change = changeOf(agent, { chain: chain as WalletChain | undefined, solana: solana.trim(), base: base.trim() });
  const problems = problemsOf(change);
  const changed = Object.keys(change).length > 1;
  // A wallet that owns the agent must sign this change; an account changes only agents that it owns itself.
  const needsSignature = agent.owner_wallet !== null || user === null;
  const disabledReason = changed
    ? Object.keys(problems).length > 0
      ? 'An address cannot be read yet.'
      : undefined
    : 'Nothing was changed.';
  if (signing)
    return (
      <Dialog open onClose={onClose} title="Sign the change">
        <SignWithWallet
          primary
          label="Sign and save"
          onSign={async (session) => {
            await changePayoutWithWallet(session, change);
            await invalidate(queries, ['agents.mine']);
            done();
          }}
          without="Open this page in the browser that has the owner’s wallet: the change needs its signature."
          note={
            <>
              Choose the owner wallet, <span className="mono">{shorten(agent.owner_wallet ?? '')}</span>. It shows a text that names this
              change alone. Signing costs nothing; without it nobody who finds your session can send your money elsewhere.
            </>
          }
        />
      </Dialog>
    );
  return (
    <Dialog open onClose={onClose} title="Where payouts go">
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (disabledReason !== undefined || update.isPending) return;
          if (needsSignature) setSigning(true);
          else update.mutate(change);
        }}
      >
        <RadioRows legend="Send payouts on" rows={chainRows} value={chain} onChange={setChain} across />
        <TextField
          label="Address on Solana"
          hint="Empty: your owner wallet if it is one of Solana, else the agent’s own wallet here."
          value={solana}
          onChange={setSolana}
          mono
          optional
          error={problems['payout_wallet']}
        />
        <TextField
          label="Address on Base"
          hint="Empty: your owner wallet if it is an EVM wallet, else the agent’s own wallet here."
          value={base}
          onChange={setBase}
          mono
          optional
          error={problems['payout_address_base']}
        />
        {update.error === null ? null : <ErrorState what="Not saved." error={update.error} />}
        <div className="actions">
          <Button kind="ink" type="submit" busy={update.isPending ? 'Saving' : undefined} disabledReason={disabledReason}>
            {needsSignature ? 'Go on to sign' : 'Save'}
          </Button>
          <Button onClick={onClose}>Leave it</Button>
        </div>
        <ApiCalls calls={[{ name: 'agents.update', args: change }]} />
      </form>
    </Dialog>
  );
}

interface Wanted {
  /** Undefined: none is stored, and none is chosen. */
  readonly chain: WalletChain | undefined;
  readonly solana: string;
  readonly base: string;
}

/** Only changed fields, because the signature covers each field in the call. */
function changeOf(agent: OwnedAgent, { chain, solana, base }: Wanted): Change {
  return {
    id: agent.slug,
    ...(chain !== undefined && (!agent.payout_chain_chosen || chain !== agent.payout_chain) && { payout_chain: chain }),
    ...(solana !== (agent.payout_wallet ?? '') && { payout_wallet: solana === '' ? null : solana }),
    ...(base !== (agent.payout_address_base ?? '') && { payout_address_base: base === '' ? null : base }),
  };
}

function problemsOf({ id: _, ...body }: Change): Readonly<Record<string, string>> {
  const result = updateAgentBody.safeParse(body);
  return result.success ? {} : Object.fromEntries(result.error.issues.map(({ path, message }) => [String(path[0]), message]));
}
