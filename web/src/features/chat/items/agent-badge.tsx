/** Who speaks: icon, colour and name. */

import { AgentAvatar } from "../../../components/agent-avatar";
import { faceOf, useDirectory } from "../../../transport/directory";
import { useChat } from "../context";

export const useFace = (id: string) => {
  const directory = useDirectory();
  const { agents } = useChat();
  return faceOf(id, directory, agents);
};

export const AgentBadge = ({ id }: { readonly id: string }) => {
  const face = useFace(id);
  return (
    <div className="flex items-center gap-2.5 pt-2.5 pb-2">
      <AgentAvatar {...face} />
      <span className="text-sm font-semibold tracking-tight">{face.name}</span>
    </div>
  );
};
