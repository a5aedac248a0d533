/** Registers a token that the owner's wallet made elsewhere: its facts, then that wallet's signature over this very registration. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { callOperation, invalidate } from '../../../data/answers.ts';
import { sitePaths } from '../../../site-paths.ts';
import { ApiCalls, Button, Dialog, Hash, RadioRows, Sum, shorten, TextField, useToast } from '../../../ui/index.ts';
import { marketOfWallet } from '../../../wallets/sign-in-with-wallet.ts';
import { SignWithWallet } from '../../../wallets/sign-with-wallet.tsx';
import { WalletProblem, type WalletSession } from '../../../wallets/wallet-session.ts';
import { requireOwner } from '../../build/owner-act.tsx';
import type { OwnedAgent } from '../../shared/agent-chooser.tsx';
import { modeWords } from '../../shared/token-facts.tsx';
import { draftProblems, type RegisterDraft, refusalWords, registrationOf } from './register-draft.ts';

export function RegisterPanel({ agent }: { readonly agent: OwnedAgent }) {
  const [isOpen, setOpen] = useState(false);
  const isEvm = agent.owner_wallet?.startsWith('0x') === true;
  return (
    <section aria-labelledby="existing">
      <div className="heading">
        <h2 id="existing">Register a token that exists</h2>
      </div>
      <div className="stack">
        <p className="mute">
          A token on Solana that your wallet made elsewhere is put on record with one signature of that wallet. The chain must show that it
          made it. Nothing is moved and nothing is paid. The <a href={sitePaths.guide('agent-tokens')}>guide</a> has each step.
        </p>
        <div className="actions">
          <Button
            disabledReason={
              isEvm ? 'The agent belongs to an EVM wallet, which cannot have made a token on Solana. Launch one instead.' : undefined
            }
            onClick={() => setOpen(true)}
          >
            Register a token
          </Button>
        </div>
        <ApiCalls
          calls={[
            {
              name: 'tokens.register',
              args: {
                id: agent.slug,
                token_mint: 'mint address',
                token_name: agent.name.slice(0, 32),
                token_symbol: 'SYMBOL',
                token_mode: 'pumpfun',
                token_creator_wallet: 'your wallet',
              },
            },
          ]}
        />
      </div>
      {isOpen ? <RegisterDialog agent={agent} onClose={() => setOpen(false)} /> : null}
    </section>
  );
}

function RegisterDialog({ agent, onClose }: { readonly agent: OwnedAgent; readonly onClose: () => void }) {
  const [draft, setDraft] = useState<RegisterDraft>({
    mint: '',
    name: agent.name.slice(0, 32),
    symbol: '',
    mode: 'pumpfun',
    transaction: '',
  });
  const [checked, setChecked] = useState(false);
  if (!checked)
    return (
      <Dialog open onClose={onClose} title="Register a token">
        <DraftForm draft={draft} onChange={setDraft} onChecked={() => setChecked(true)} onClose={onClose} />
      </Dialog>
    );
  return (
    <Dialog open onClose={onClose} title="Check and sign">
      <div className="stack">
        <Sum
          small
          lines={[
            { label: 'Token', value: `${draft.name.trim()} (${draft.symbol.trim()})` },
            { label: 'Mint', value: <Hash value={draft.mint.trim()} what="mint" /> },
            { label: 'How it came to be', value: modeWords[draft.mode] },
          ]}
        />
        <p className="note">An agent has one token. Only operators can take it off the record again.</p>
        <Signature agent={agent} draft={draft} onDone={onClose} />
        <div>
          <Button onClick={() => setChecked(false)}>Change it</Button>
        </div>
      </div>
    </Dialog>
  );
}

interface DraftFormProps {
  readonly draft: RegisterDraft;
  readonly onChange: (draft: RegisterDraft) => void;
  readonly onChecked: () => void;
  readonly onClose: () => void;
}

function DraftForm({ draft, onChange, onChecked, onClose }: DraftFormProps) {
  const [asked, setAsked] = useState(false);
  const problems = draftProblems(draft);
  const errorOf = (field: keyof RegisterDraft) => (asked ? problems[field] : undefined);
  const set = (field: keyof RegisterDraft) => (value: string) => onChange({ ...draft, [field]: value });
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setAsked(true);
        if (Object.keys(problems).length === 0) onChecked();
      }}
    >
      <TextField label="Mint address" hint="On Solana." mono required value={draft.mint} error={errorOf('mint')} onChange={set('mint')} />
      <TextField label="Name" hint="As it is on chain." required value={draft.name} error={errorOf('name')} onChange={set('name')} />
      <TextField label="Symbol" mono required value={draft.symbol} error={errorOf('symbol')} onChange={set('symbol')} />
      <RadioRows
        legend="Where it was made"
        rows={[
          { value: 'pumpfun', label: 'On pump.fun' },
          { value: 'byot', label: 'Elsewhere' },
        ]}
        value={draft.mode}
        onChange={set('mode')}
        across
      />
      <TextField
        label="Transaction that made it"
        hint="Needed only where the wallet gave up its authority over the mint."
        mono
        optional
        value={draft.transaction}
        error={errorOf('transaction')}
        onChange={set('transaction')}
      />
      <div className="actions">
        <Button kind="ink" type="submit">
          Check the token
        </Button>
        <Button onClick={onClose}>Not now</Button>
      </div>
    </form>
  );
}

function Signature({ agent, draft, onDone }: { readonly agent: OwnedAgent; readonly draft: RegisterDraft; readonly onDone: () => void }) {
  const toast = useToast();
  const queries = useQueryClient();
  const register = async (session: WalletSession): Promise<void> => {
    requireOwner(session, agent.owner_wallet);
    const args = registrationOf(draft, agent.slug, session.address);
    await callOperation(marketOfWallet(session), 'tokens.register', args, { proof: 'custody' }).catch(throwWithNextStep);
    await invalidate(queries, ['tokens.get', 'agents.get', 'agents.mine', 'fees.claimable', 'tokens.priceHistory']);
    toast(`${draft.symbol.trim()} is on record.`);
    onDone();
  };
  return (
    <SignWithWallet
      label="Sign and register"
      kind="solana"
      primary
      onSign={register}
      without="Open this page in the browser that has the wallet which made the token."
      note={
        <>
          {agent.owner_wallet === null ? (
            'The wallet that made the token signs'
          ) : (
            <>
              The owner’s wallet <span className="mono">{shorten(agent.owner_wallet)}</span> signs
            </>
          )}{' '}
          a text that names this call and the time. Signing moves nothing and costs nothing.
        </>
      }
    />
  );
}

/** Throws the refusal with its next step. */
function throwWithNextStep(error: unknown): never {
  const words = error instanceof Error && 'code' in error ? refusalWords(String(error.code)) : undefined;
  throw words === undefined ? error : new WalletProblem('failed', words, error);
}
