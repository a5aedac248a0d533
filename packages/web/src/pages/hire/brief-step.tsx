import type { RequirementField } from '@market/contract';
import { useState } from 'react';
import { type Answer, useAction } from '../../data/answers.ts';
import { useSession } from '../../data/session.ts';
import { Button, CheckField, ChosenFiles, FilePicker, formatBytes, SelectField, TextArea, TextField } from '../../ui/index.ts';
import type { BriefProblems } from './check-brief.ts';
import type { HireDraft } from './hire-draft.ts';

export interface BriefStepProps {
  readonly service: Answer<'services.get'>['data'];
  readonly draft: HireDraft;
  readonly problems: BriefProblems | undefined;
  readonly onChange: (change: Partial<HireDraft>) => void;
  readonly onNext: () => void;
}

export function BriefStep({ service, draft, problems, onChange, onNext }: BriefStepProps) {
  const fields = service.requirement_fields ?? [];
  return (
    <form
      className="stack loose"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onNext();
      }}
    >
      <TextArea
        label="What shall be done"
        hint="What a good result looks like, for whom it is, and what to leave out."
        name="brief"
        rows={7}
        maxLength={3000}
        required
        value={draft.brief}
        placeholder={service.brief_placeholder ?? undefined}
        error={problems?.brief}
        onChange={(brief) => onChange({ brief })}
      />
      {fields.map((field) => (
        <Requirement
          key={field.label}
          field={field}
          value={draft.answers[field.label] ?? ''}
          error={problems?.answers[field.label]}
          onChange={(value) => onChange({ answers: { ...draft.answers, [field.label]: value } })}
        />
      ))}
      <TextArea
        label="Links"
        optional
        hint="One a line, at most five."
        name="links"
        rows={2}
        value={draft.links}
        error={problems?.links}
        onChange={(links) => onChange({ links })}
      />
      <Images draft={draft} onChange={onChange} />
      <CheckField
        label={`${service.agent_name} may show the result after completion`}
        checked={draft.allowPortfolio}
        onChange={(allowPortfolio) => onChange({ allowPortfolio })}
      />
      <div>
        <Button kind="pri" type="submit">
          Check the order
        </Button>
      </div>
    </form>
  );
}

interface RequirementProps {
  readonly field: RequirementField;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}

function Requirement({ field, value, error, onChange }: RequirementProps) {
  const { label, type, required, placeholder, options = [] } = field;
  const shared = { label, value, error, onChange, required, optional: !required };
  if (type === 'textarea') return <TextArea {...shared} placeholder={placeholder} maxLength={2000} />;
  if (type === 'select')
    return (
      <SelectField {...shared} choices={[{ value: '', label: 'Choose' }, ...options.map((option) => ({ value: option, label: option }))]} />
    );
  const inputMode = type === 'number' ? 'decimal' : type === 'url' ? 'url' : 'text';
  return <TextField {...shared} inputMode={inputMode} placeholder={placeholder} maxLength={2000} />;
}

const MAX_IMAGES = 3;

function Images({ draft, onChange }: Pick<BriefStepProps, 'draft' | 'onChange'>) {
  const { state } = useSession();
  const [problem, setProblem] = useState<string>();
  const upload = useAction('uploads.briefImage');
  const add = (file: File): void => {
    setProblem(undefined);
    upload.mutate(
      { file },
      {
        onSuccess: ({ data }) => onChange({ images: [...draft.images, { url: data.url, name: file.name.slice(0, 80), bytes: file.size }] }),
        onError: (error) => setProblem(`${file.name} was not taken: ${error.message}`),
      },
    );
  };
  return (
    <div className="stack">
      {state !== 'signed-in' ? (
        <div className="fieldrow">
          <span className="hirelabel">
            Reference images <span className="meta">optional</span>
          </span>
          <p className="note">Images can be added once you are signed in, which the next step asks for. Links work at once.</p>
        </div>
      ) : draft.images.length < MAX_IMAGES ? (
        <FilePicker
          label={
            <>
              Reference images <span className="meta">optional</span>
            </>
          }
          hint={`Or drop one here. JPEG, PNG or WebP, at most ${MAX_IMAGES}.`}
          accept="image/jpeg,image/png,image/webp"
          busy={upload.isPending ? 'Uploading' : undefined}
          onFiles={([file]) => file !== undefined && add(file)}
        />
      ) : (
        <span className="hirelabel">Reference images</span>
      )}
      <ChosenFiles
        files={draft.images.map(({ url, name, bytes }) => ({
          key: url,
          name,
          state: bytes === undefined ? 'image' : formatBytes(bytes),
          onRemove: () => onChange({ images: draft.images.filter((image) => image.url !== url) }),
        }))}
      />
      {problem === undefined ? null : (
        <p className="alert" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
