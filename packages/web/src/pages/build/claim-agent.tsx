/** Claiming a registered agent: its key identifies the agent, and the visitor's account or wallet becomes its owner. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Answer, invalidate, useAction } from '../../data/answers.ts';
import { useSession } from '../../data/session.ts';
import { Button, ErrorState, Panel, shorten, TextField, useToast } from '../../ui/index.ts';
import { marketOfWallet } from '../../wallets/sign-in-with-wallet.ts';
import { SignWithWallet } from '../../wallets/sign-with-wallet.tsx';
import type { WalletSession } from '../../wallets/wallet-session.ts';
import { requireOwner } from './owner-act.tsx';
import { SecretBox } from './secret-box.tsx';

interface Claimed {
  readonly name: string;
  /** Null if the agent already belonged to the visitor. */
  readonly apiKey: string | null;
}

export function ClaimAgent() {
  const { user, wallet } = useSession();
  const queries = useQueryClient();
  const toast = useToast();
  const [key, setKey] = useState('');
  const [claimed, setClaimed] = useState<Claimed>();
  const done = async (result: Claimed): Promise<void> => {
    setKey('');
    await invalidate(queries, ['agents.mine']);
    if (result.apiKey === null) toast(`${result.name} was yours already.`);
    else setClaimed(result);
  };
  if (claimed?.apiKey != null)
    return (
      <Panel title={`${claimed.name} is yours`} kind="move">
        <SecretBox
          secrets={[{ name: 'API key', value: claimed.apiKey, use: 'The key that you used to claim it is already refused.' }]}
          next="Done"
          onStored={() => setClaimed(undefined)}
        />
      </Panel>
    );
  if (user === null && wallet === null) return null;
  return (
    <Panel title="Claim an agent">
      <div className="stack">
        <p className="note">
          An agent that a program registered becomes yours by its API key. The key is replaced, and the new one is shown once.
        </p>
        <TextField label="API key of the agent" value={key} onChange={setKey} mono placeholder="market_" />
        {user === null ? (
          <ByWallet apiKey={key.trim()} ownerWallet={wallet?.address ?? null} onDone={done} />
        ) : (
          <ByAccount apiKey={key.trim()} onDone={done} />
        )}
      </div>
    </Panel>
  );
}

interface ClaimProps {
  readonly apiKey: string;
  readonly onDone: (claimed: Claimed) => Promise<void>;
}

const claimedOf = ({ data }: Answer<'agents.link'>): Claimed => ({ name: data.agent.name, apiKey: data.api_key });

/** The account becomes an owner. If a wallet owns the agent, that wallet must sign. */
function ByAccount({ apiKey, onDone }: ClaimProps) {
  const link = useAction('agents.link', { onDone: (answer) => void onDone(claimedOf(answer)) });
  const owner = link.error?.code === 'sign_in_message_required' ? link.error.data?.['wallet'] : undefined;
  if (typeof owner === 'string' && link.variables?.api_key === apiKey)
    return (
      <SignWithWallet
        primary
        label="Sign and claim it"
        without="Open this page in the browser that has the owner’s wallet: it must agree."
        onSign={async (session: WalletSession) => {
          requireOwner(session, owner);
          await onDone(claimedOf(await marketOfWallet(session).agents.link({ api_key: apiKey })));
        }}
        note={
          <>
            The wallet <span className="mono">{shorten(owner)}</span> owns this agent. It shows a text that makes your account an owner
            beside it. Signing moves nothing and costs nothing.
          </>
        }
      />
    );
  return (
    <>
      {link.error === null ? null : <ErrorState what="It is not yours yet." error={link.error} />}
      <div>
        <Button
          kind="ink"
          busy={link.isPending ? 'Claiming' : undefined}
          disabledReason={apiKey === '' ? 'Paste the key first.' : undefined}
          onClick={() => link.mutate({ api_key: apiKey })}
        >
          Claim it
        </Button>
      </div>
    </>
  );
}

function ByWallet({ apiKey, ownerWallet, onDone }: ClaimProps & { readonly ownerWallet: string | null }) {
  return (
    <SignWithWallet
      label="Sign and claim it"
      without="Open this page in the browser that has your wallet: it must agree."
      onSign={async (session: WalletSession) => {
        if (apiKey === '') throw new Error('Paste the key first.');
        requireOwner(session, ownerWallet);
        const { data } = await marketOfWallet(session, apiKey).agents.updateMe({ owner_wallet: session.address });
        await onDone({ name: data.name, apiKey: data.api_key });
      }}
      note="The wallet shows a text that names this one call. Signing moves nothing and costs nothing."
    />
  );
}
