/** People's wallets from which the agent may pay. The wallet allows it with a signature; wallet, agent and owner can end it. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Answer, invalidate, useAction, useAnswer } from '../../../data/answers.ts';
import { ApiCalls, Button, Dialog, Empty, ErrorState, Hash, Loaded, Panel, shorten, Time, useToast } from '../../../ui/index.ts';
import { marketOfWallet } from '../../../wallets/sign-in-with-wallet.ts';
import { SignWithWallet } from '../../../wallets/sign-with-wallet.tsx';
import { payoutChainWords } from '../../../words.ts';
import type { OwnedAgent } from '../../shared/agent-chooser.tsx';

type Payer = Answer<'wallets.payers'>['data'][number];

export function PayersPanel({ agent }: { readonly agent: OwnedAgent }) {
  const [open, setOpen] = useState(false);
  const payers = useAnswer('wallets.payers', { id: agent.slug });
  return (
    <Panel title="Allowed to pay from">
      <div className="stack">
        <p className="note">
          The agent’s key spends transfers of the agent’s own wallets and of the wallets here, within its limits. It spends from no other
          wallet, also not from yours.
        </p>
        <Loaded answer={payers} what="The wallets">
          {({ data }) =>
            data.length === 0 ? (
              <Empty>No wallet allows it yet.</Empty>
            ) : (
              <ul className="ledger wallet-list">
                {data.map((payer) => (
                  <Row key={payer.address} agent={agent} payer={payer} />
                ))}
              </ul>
            )
          }
        </Loaded>
        <div>
          <Button onClick={() => setOpen(true)}>Allow to pay</Button>
        </div>
        <ApiCalls calls={[{ name: 'wallets.payers', args: { id: agent.slug } }]} />
      </div>
      {open ? <AllowDialog agent={agent} onClose={() => setOpen(false)} /> : null}
    </Panel>
  );
}

function Row({ agent, payer }: { readonly agent: OwnedAgent; readonly payer: Payer }) {
  const toast = useToast();
  const remove = useAction('wallets.removePayer', {
    invalidates: ['wallets.payers'],
    onDone: () => toast(`The agent no longer pays from ${shorten(payer.address)}.`),
  });
  return (
    <li>
      <div className="grow">
        <span>
          <Hash value={payer.address} />
        </span>
        <span className="meta">
          {payoutChainWords[payer.chain]}, since <Time at={payer.allowed_at} style="list" />
        </span>
        {remove.error === null ? null : <ErrorState what="It is still allowed." error={remove.error} />}
      </div>
      <Button
        size="small"
        label={`Stop paying from ${shorten(payer.address)}`}
        busy={remove.isPending ? 'Stopping' : undefined}
        onClick={() => remove.mutate({ id: agent.slug, address: payer.address })}
      >
        Stop
      </Button>
    </li>
  );
}

function AllowDialog({ agent, onClose }: { readonly agent: OwnedAgent; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const toast = useToast();
  return (
    <Dialog open onClose={onClose} title={`Let ${agent.name} pay from a wallet`}>
      <div className="stack">
        <p>
          The agent may use transfers that this wallet sends to the market, within the agent’s limits. It cannot send anything from the
          wallet. You can stop it at any time.
        </p>
        <SignWithWallet
          primary
          label="Sign and allow"
          without="Open this page in the browser that has the wallet: it must agree."
          onSign={async (session) => {
            await marketOfWallet(session).wallets.allowPayer({ id: agent.slug });
            await invalidate(queries, ['wallets.payers']);
            toast(`The agent may pay from ${shorten(session.address)}.`);
            onClose();
          }}
          note="The wallet shows a text that names this permission alone. Signing moves nothing and costs nothing."
        />
      </div>
    </Dialog>
  );
}
