"""The attempts by what they are after, for the table in references/isolation.md; each stands in exactly one kind."""

KINDS: dict[str, tuple[str, ...]] = {
    "read and list files": ("read_a_file", "list_a_folder", "open_by_handle", "environment_of_the_victim"),
    "use a descriptor that leaked": ("read_a_leaked_descriptor",),
    "write, make, rename, remove files": (
        "write_a_file", "create_a_file", "truncate_a_file", "hard_link", "symbolic_link", "unlink_a_file", "rename_a_file",
        "make_a_folder", "make_a_fifo", "make_a_device", "open_a_setting_of_the_kernel",
    ),
    "learn about files, change their properties": (
        "stat_a_file", "probe_access", "look_up_a_path", "read_a_link", "learn_about_a_file_system", "chmod_a_file",
        "set_times", "set_an_attribute", "change_the_owner", "change_folder", "change_root", "watch_files", "watch_all_files",
    ),
    "execute a program": ("execute_a_program", "execute_at_a_descriptor", "spawn_a_program"),
    "start processes and threads": ("fork_a_process", "fork_by_clone3", "start_a_thread"),
    "signal another process": (
        "kill_the_victim", "kill_a_thread_of_the_victim", "queue_a_signal", "signal_through_a_pidfd",
        "signal_through_a_socket_owner",
    ),
    "read another process": (
        "trace_the_victim", "read_the_victims_memory", "take_a_descriptor_of_the_victim", "compare_with_the_victim",
    ),
    "limit, slow, move another process": (
        "limit_the_victim", "limit_the_parent", "slow_the_victim_down", "move_the_victim_to_one_processor",
    ),
    "connect over IP": ("connect_over_tcp", "connect_over_multipath_tcp", "send_a_datagram", "listen_for_connections"),
    "connect over unix sockets": (
        "connect_to_a_unix_socket", "connect_to_an_abstract_socket", "send_to_a_path_on_a_datagram_pair",
        "sendmsg_to_a_path_on_a_datagram_pair",
    ),
    "turn a passed socket elsewhere": (
        "fast_open_on_a_half_open_socket", "fast_open_by_sendmsg", "shut_down_then_fast_open",
        "connect_a_half_open_socket_elsewhere", "disconnect_and_connect_elsewhere", "name_another_host_on_a_live_connection",
    ),
    "change or pass on a socket": ("set_ip_options", "attach_a_filter_program", "pass_a_descriptor_on"),
    "make sockets and pipes of other kinds": (
        "make_a_socket_pair", "make_a_pipe", "netlink_socket", "vsock_socket", "crypto_socket", "raw_socket", "packet_socket",
    ),
    "executable memory": (
        "map_executable_memory", "make_memory_executable", "make_memory_executable_with_a_key", "readable_means_executable",
        "memory_file", "map_the_first_page",
    ),
    "take memory and priority": (
        "take_two_gigabytes", "pin_memory", "change_its_disk_priority", "become_real_time",
    ),
    "loosen its own lock": (
        "change_its_limits", "raise_its_limits", "outlive_its_parent", "become_readable_again", "change_user",
        "call_by_an_x32_number",
    ),
    "namespaces and mounts": (
        "new_user_namespace", "new_network_namespace", "mount_a_file_system", "enter_a_namespace", "name_the_machine",
    ),
    "shared kernel objects": (
        "shared_memory", "semaphores", "old_message_queue", "message_queue", "keyring", "add_a_key",
    ),
    "rarely used parts of the kernel": (
        "io_uring", "userfaultfd", "bpf_map", "performance_counter", "event_poll", "kernel_log",
    ),
}  # fmt: skip
