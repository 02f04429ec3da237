#include "host/core/failure.hpp"

namespace pspllm::host {

void require(const Status& status, const std::string& subject) {
  if (status) return;
  if (status.error().kind == ErrorKind::interrupted) throw Interrupted();
  const std::string sentence(status.error().message.view());
  throw Failure(subject.empty() ? sentence : subject + ": " + sentence);
}

}  // namespace pspllm::host
