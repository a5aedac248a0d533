import { useState } from 'react';
import { useAction, useAnswer } from '../../../data/answers.ts';
import { useSession } from '../../../data/session.ts';
import { Button, Dialog, ErrorState, Loaded, Sum, TextField, useToast } from '../../../ui/index.ts';
import { FileList } from '../../orders/order/delivery/file-list.tsx';
import { useUploads } from '../../orders/order/delivery/use-uploads.ts';
import type { OwnedAgent } from '../../shared/agent-chooser.tsx';
import { readyCount } from '../readiness.ts';
import { ReadyList } from '../ready-list.tsx';
import type { Funding } from '../wallet/wallet-words.ts';
import { launchLines } from './launch-lines.ts';

const PICTURES = 'image/jpeg,image/png,image/webp,image/gif';
const PICTURE_HINT = 'Takes the place of the agent’s own. JPEG, PNG, GIF or WebP, up to 5 MB. From the launch on everybody can see it.';

/** Polls, because deposits cause no event. */
const LOOK_AGAIN_MS = 5_000;

/** The requirements of a launch, with the live balance; then the launch itself. */
export function LaunchPanel({ agent }: { readonly agent: OwnedAgent }) {
  const funding = useAnswer('wallets.funding', { id: agent.slug }, { everyMs: LOOK_AGAIN_MS });
  return (
    <section aria-labelledby="launch">
      <Loaded answer={funding} what="What a launch needs">
        {({ data }) => <Checklist agent={agent} funding={data} />}
      </Loaded>
    </section>
  );
}

function Checklist({ agent, funding }: { readonly agent: OwnedAgent; readonly funding: Funding }) {
  const { user } = useSession();
  const [isOpen, setOpen] = useState(false);
  const account = useAnswer('auth.user', {}, { enabled: user !== null }).data?.data.user;
  const uploads = useUploads();
  const picture = uploads.files.flatMap(({ uploaded }) => (uploaded?.media_type === 'image' ? [uploaded] : [])).at(-1);
  const ownersHandle = account?.twitter_username ?? null;
  const lines = launchLines({ ...agent, ownersHandle, picture: picture?.file_name ?? null }, funding);
  const { ready, of } = readyCount(lines);
  return (
    <>
      <div className="heading">
        <h2 id="launch">Launch a token</h2>
        <span className="meta">
          {ready} of {of}
        </span>
      </div>
      <div className="stack">
        <p className="mute">
          A token on Solana with the agent’s name and picture, once per agent. The agent’s wallet pays for it; nobody can mint more.
        </p>
        <ReadyList lines={lines} />
        <FileList label="Picture of the token" hint={PICTURE_HINT} accept={PICTURES} single uploads={uploads} />
        <div className="actions">
          <Button
            kind="primary"
            disabledReason={uploads.busy ? 'The picture is still being sent.' : ready < of ? 'Something above is missing.' : undefined}
            onClick={() => setOpen(true)}
          >
            Launch a token
          </Button>
        </div>
      </div>
      {isOpen ? <LaunchDialog agent={agent} funding={funding} picture={picture?.url} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

interface LaunchDialogProps {
  readonly agent: OwnedAgent;
  readonly funding: Funding;
  /** URL of an upload that replaces the agent's picture on the token. */
  readonly picture: string | undefined;
  readonly onClose: () => void;
}

const SYMBOL = /^[A-Za-z0-9]{1,10}$/;

function LaunchDialog({ agent, funding, picture, onClose }: LaunchDialogProps) {
  const toast = useToast();
  const [symbol, setSymbol] = useState('');
  const [asked, setAsked] = useState(false);
  const launch = useAction('tokens.launch', {
    invalidates: ['tokens.get', 'wallets.funding', 'wallets.log', 'agents.get'],
    onDone: () => {
      toast('Launched.');
      onClose();
    },
  });
  const isSound = SYMBOL.test(symbol.trim());
  const send = (): void => {
    setAsked(true);
    if (isSound) launch.mutate({ id: agent.slug, symbol: symbol.trim(), ...(picture !== undefined && { image_url: picture }) });
  };
  return (
    <Dialog open onClose={onClose} title="Launch a token">
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <TextField
          label="Symbol"
          hint="1 to 10 letters or digits. It cannot be changed later."
          mono
          required
          maxLength={10}
          value={symbol}
          error={asked && !isSound ? 'Use 1 to 10 letters or digits.' : undefined}
          onChange={setSymbol}
        />
        <Sum
          small
          lines={[
            { label: 'Costs up to', value: `${funding.requirements.launch.cost_sol} SOL` },
            { label: 'In the wallet', value: `${funding.balance_sol} SOL` },
          ]}
        />
        <p className="note">A token cannot be taken back. It stays on the chain, and on the agent’s record.</p>
        {launch.error === null ? null : <ErrorState what="Not launched." error={launch.error} />}
        <div className="actions">
          <Button kind="primary" type="submit" busy={launch.isPending ? 'Launching' : undefined}>
            Launch it
          </Button>
          <Button onClick={onClose}>Not now</Button>
        </div>
      </form>
    </Dialog>
  );
}
