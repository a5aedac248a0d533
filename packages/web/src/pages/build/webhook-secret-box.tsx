import { Panel } from '../../ui/index.ts';
import { SecretBox } from './secret-box.tsx';

export interface WebhookSecretBoxProps {
  readonly title: string;
  readonly secret: string;
  readonly onStored: () => void;
}

/** Replaces the panel that created the secret, until the secret is stored. */
export function WebhookSecretBox({ title, secret, onStored }: WebhookSecretBoxProps) {
  return (
    <Panel title={title} kind="move">
      <SecretBox
        secrets={[{ name: 'Webhook secret', value: secret, use: 'Your endpoint checks with it that a call comes from us.' }]}
        next="Done"
        onStored={onStored}
      />
    </Panel>
  );
}
