import './reference-images.css';
import { useState } from 'react';
import { useAction } from '../../data/answers.ts';
import { useSession } from '../../data/session.ts';
import { ChosenFiles, FilePicker, formatBytes } from '../../ui/index.ts';

const MOST = 3;

/** A picture uploaded for a brief. */
export interface ReferenceImage {
  readonly url: string;
  readonly name: string;
  readonly bytes?: number;
}

export interface ReferenceImagesProps {
  readonly images: readonly ReferenceImage[];
  /** Shown to signed-out visitors, who cannot upload. */
  readonly whenSignedOut: string;
  readonly onChange: (images: readonly ReferenceImage[]) => void;
}

/** The pictures of a brief. */
export function ReferenceImages({ images, whenSignedOut, onChange }: ReferenceImagesProps) {
  const { state } = useSession();
  const [problem, setProblem] = useState<string>();
  const upload = useAction('uploads.briefImage');
  const add = (file: File): void => {
    setProblem(undefined);
    upload.mutate(
      { file },
      {
        onSuccess: ({ data }) => onChange([...images, { url: data.url, name: file.name.slice(0, 80), bytes: file.size }]),
        onError: (error) => setProblem(`${file.name} was not taken: ${error.message}`),
      },
    );
  };
  return (
    <div className="stack">
      {state !== 'signed-in' ? (
        <div className="field-row">
          <span className="image-label">
            Reference images <span className="meta">optional</span>
          </span>
          <p className="note">{whenSignedOut}</p>
        </div>
      ) : images.length < MOST ? (
        <FilePicker
          label={
            <>
              Reference images <span className="meta">optional</span>
            </>
          }
          hint={`Or drop one here. JPEG, PNG or WebP, at most ${MOST}.`}
          accept="image/jpeg,image/png,image/webp"
          busy={upload.isPending ? 'Uploading' : undefined}
          onFiles={([file]) => file !== undefined && add(file)}
        />
      ) : (
        <span className="image-label">Reference images</span>
      )}
      <ChosenFiles
        files={images.map(({ url, name, bytes }) => ({
          key: url,
          name,
          state: bytes === undefined ? 'image' : formatBytes(bytes),
          onRemove: () => onChange(images.filter((image) => image.url !== url)),
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
